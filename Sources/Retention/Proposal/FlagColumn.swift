/// A column that says which rows a person is done with, or wants, as far as its name and its values tell.
package enum FlagColumn: Equatable, Sendable {
    /// Only rows of which this SQL is true may go.
    case condition(String, isProven: Bool)
    /// Rows of which this SQL is true stay.
    case protection(String, isProven: Bool)
    /// A flag or a status of which only a person knows what it means for the rule.
    case question(String)

    /// Nil for columns that are no flag. `sql` is the column's name as SQL.
    init?(_ column: ColumnSketch, sql: String) {
        guard !column.isKey, column.refersTo == nil else { return nil }
        let words = NameWords(column.name)
        let seen = Set(column.values).subtracting([.null])
        if words.isAnnotation, !seen.isEmpty, seen.allSatisfy(\.isText) {
            self = .protection("coalesce(\(sql), '') <> ''", isProven: seen.contains { !$0.isUnset })
            return
        }
        let numbers = Set(seen.compactMap(\.integer))
        guard numbers.count == seen.count, numbers.allSatisfy({ (-1...9).contains($0) }) else { return nil }
        let isBinary = numbers.isSubset(of: [0, 1])
        let isProven = numbers.count > 1
        switch words.flag {
        case .done?: self = .condition(isBinary ? "\(sql) = 1" : "\(sql) >= 1", isProven: isProven)
        case .open?: self = .condition("\(sql) = 0", isProven: isProven)
        case .wanted?: self = .protection("\(sql) <> 0", isProven: isProven)
        case .gone?: self = .question("marks rows that the app itself deleted")
        case nil:
            guard ["status", "state"].contains(column.name.lowercased()), numbers.count > 1 else {
                return nil
            }
            let values = numbers.sorted().map(String.init).joined(separator: ", ")
            self = .question("has \(values); if only some may go, say so: where = \"\(sql) = ...\"")
        }
    }
}

extension SketchedValue {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
    fileprivate var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
}
