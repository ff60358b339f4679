import Conditions

/// Conditions as a person may write them, with more parentheses.
extension Condition<WrittenNames> {
    var written: String {
        switch self {
        case .comparison(let a, let comparison, let b): "\(a.written) \(comparison.rawValue) \(b.written)"
        case .isNull(let operand): "\(operand.written) IS NULL"
        case .isIn(let operand, let values):
            "\(operand.written) IN (\(values.map(\.written).joined(separator: ", ")))"
        case .isInQuery(let operand, let query): "\(operand.written) IN (\(query.written))"
        case .isLike(let operand, let pattern):
            "\(operand.written) LIKE '\(pattern.escapedByBackslash.doublingQuotes)' ESCAPE '\\'"
        case .exists(let query): "EXISTS (\(query.written))"
        case .isTrue(let operand): operand.written
        case .not(let inner): "NOT (\(inner.written))"
        case .all(let terms): terms.map { "(\($0.written))" }.joined(separator: " AND ")
        case .any(let terms): terms.map { "(\($0.written))" }.joined(separator: " OR ")
        }
    }
}

extension Subquery<WrittenNames> {
    var written: String {
        let tables = tables.map {
            [$0.name.text, $0.alias?.text].compactMap(\.self).joined(separator: " AS ")
        }
        return "SELECT \(column?.written ?? "1") FROM \(tables.joined(separator: ", "))"
            + (condition.map { " WHERE \($0.written)" } ?? "")
    }
}

extension Operand<WrittenNames> {
    var written: String {
        switch self {
        case .column(let column): column.written
        case .literal(.null): "NULL"
        case .literal(.integer(let number)): "\(number)"
        case .literal(.decimal(let number)): number
        case .literal(.text(let text)): "'\(text.doublingQuotes)'"
        case .literal(.boolean(let truth)): truth ? "TRUE" : "FALSE"
        case .arithmetic(let a, let operation, let b): "(\(a.written) \(operation.rawValue) \(b.written))"
        case .shifted(let value, let seconds):
            "(\(value.written) \(seconds < 0 ? "-" : "+") INTERVAL '\(abs(seconds))s')"
        case .member(let column, let key): "\(column.written)->>'\(key)'"
        case .call(let function, let values):
            "\(function.rawValue)(\(values.map(\.written).joined(separator: ", ")))"
        case .substring(let text, let from, let count):
            "substr(\(text.written), \(from)\(count.map { ", \($0)" } ?? ""))"
        }
    }
}

extension WrittenNames.Column {
    var written: String { (table.map { $0.text + "." } ?? "") + name.text }
}

extension String {
    var doublingQuotes: String { replacing("'", with: "''") }
}
