/// A column that could have keys, and what its values tell.
struct ReferringColumn {
    let table: String
    let name: String
    /// Some different values, spread over the column: whole ones, that SQL can name.
    let sample: [SketchedValue]
    /// Its least and its greatest number; nil for texts.
    let range: ClosedRange<Int64>?
    /// Whether it is the key of its table, alone.
    let isOnlyKey: Bool
    /// As a key: whether most numbers of the range are there, so that any small number is one.
    let isDense: Bool
    /// Whether it only numbers the rows of its table, without a gap.
    let isNumbered: Bool
    /// Whether its values can be looked for without reading many rows.
    let isSearchable: Bool
    private let target: String?
    private let isKey: Bool
    private let rows: Int64

    /// The column and its table.
    var id: [String] { [table, name] }

    /// Nil if it can refer to nothing: few values, such as those of a flag, are keys of many tables by chance.
    init?(_ column: ColumnSketch, of table: TableSketch) {
        let different = Set(column.values.filter { !$0.isUnset })
        guard column.type != .boolean, different.count >= Self.fewValues,
            table.rows <= 100 || different.count > ColumnFlag.mostValues
        else { return nil }
        self.init(key: column, of: table)
    }

    /// Nil if it has other values than numbers alone or texts alone.
    init?(key column: ColumnSketch, of table: TableSketch) {
        let different = Set(column.values.filter { !$0.isUnset })
        let numbers = different.compactMap { if case .integer(let number) = $0 { number } else { nil } }
        let texts = different.count { if case .text = $0 { true } else { false } }
        guard !different.isEmpty, numbers.count == different.count || texts == different.count else {
            return nil
        }
        let whole = different.filter { value in
            guard case .text(let text) = value else { return true }
            return text.count < 40 && !text.unicodeScalars.contains("\0")
        }.sorted { ($0.sql ?? "") < ($1.sql ?? "") }
        guard !whole.isEmpty else { return nil }
        sample =
            whole.count > Self.asked
            ? (0..<Self.asked).map { whole[$0 * whole.count / Self.asked] } : whole
        let ends = numbers.min().flatMap { first in numbers.max().map { (first, $0) } }
        // Hashes and other keys of all 64 bits have no range that tells anything.
        range = ends.flatMap { $0 > -1 << 60 && $1 < 1 << 60 ? $0...$1 : nil }
        self.table = table.name
        name = column.name
        target = column.refersTo
        isKey = column.isKey
        isOnlyKey = column.isKey && table.key != nil
        rows = table.rows
        let filled = range.map { Double(table.rows) / Double($0.upperBound - $0.lowerBound + 1) } ?? 0
        isDense = filled >= 0.5
        isNumbered = isOnlyKey && filled >= 0.99
        isSearchable = table.isCountable || column.isIndexed
    }

    /// Whether its values could be those of a key, by their kinds and their range.
    func mayRefer(to key: ReferringColumn) -> Bool {
        guard table != key.table || !isKey, target != key.table,
            (range == nil) == (key.range == nil)
        else { return false }
        guard let own = range, let keys = key.range else { return true }
        // The ends of a table's keys are always looked at; by a few more rows they may have grown meanwhile.
        guard own.lowerBound >= keys.lowerBound, own.upperBound <= keys.upperBound &+ 1_000 else {
            return false
        }
        // The numbers of rows, from 1 on, are those of any longer table, and mean nothing there.
        return !isNumbered || rows == key.rows
    }

    private static let fewValues = 3
    private static let asked = 40
}
