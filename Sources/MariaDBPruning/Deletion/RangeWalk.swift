/// Goes through a table in the order of an index, range by range. Each range has as many rows of the index as were asked for.
struct RangeWalk {
    /// The columns as SQL, by which ranges are told: those of the key, or the time before them.
    private let columns: [String]
    private let index: String
    /// The last row that was passed, as literals; nil at the start.
    private var last: [String]?
    private(set) var isOver = false

    init(_ columns: [String], by index: String) {
        (self.columns, self.index) = (columns, index.quotedIdentifier)
    }

    struct Range {
        let after: [String]?
        /// The last row; nil if all others are in it.
        let upTo: [String]?
    }

    /// What FROM says of the index: the server would rather read the whole table.
    var hint: String { "FORCE INDEX (\(index))" }
    var order: String { columns.joined(separator: ", ") }

    /// The range of `size` rows, whose end `find` looks for: the row after so many behind `after`.
    func next(_ size: Int, _ find: (_ terms: [String], _ offset: Int) throws -> [String]?) rethrows -> Range {
        let end = try find(last.map { [isAfter($0)] } ?? [], max(1, size) - 1)
        return Range(after: last, upTo: end)
    }

    func terms(_ range: Range) -> [String] {
        (range.after.map { [isAfter($0)] } ?? []) + (range.upTo.map { [isUpTo($0)] } ?? [])
    }

    mutating func pass(_ range: Range) {
        last = range.upTo
        isOver = range.upTo == nil
    }

    mutating func restart() { (last, isOver) = (nil, false) }

    /// A comparison of rows would read the whole table.
    private func isAfter(_ row: [String]) -> String { compared(row[...], ">", isOrEqual: false) }
    private func isUpTo(_ row: [String]) -> String { compared(row[...], "<", isOrEqual: true) }

    private func compared(_ row: ArraySlice<String>, _ sign: String, isOrEqual: Bool) -> String {
        let column = columns[row.startIndex]
        guard let value = row.first else { return "TRUE" }
        guard row.count > 1 else { return "\(column) \(sign)\(isOrEqual ? "=" : "") \(value)" }
        let rest = compared(row.dropFirst(), sign, isOrEqual: isOrEqual)
        return
            "(\(column) \(sign)= \(value) AND (\(column) \(sign) \(value) OR \(column) = \(value) AND \(rest)))"
    }
}
