import SQLite

/// A range of keys: after one key, up to and including another; open where a key is nil.
struct KeyRange {
    let after: TableKey?
    private(set) var upTo: TableKey?

    init(after: TableKey?) {
        self.after = after
    }

    /// SQL that is true of the rows of `table` in the range.
    func terms(_ table: TableSchema) -> [String] {
        [
            after.map { "\(table.keySQL) > \($0.sql("after"))" },
            upTo.map { "\(table.keySQL) <= \($0.sql("upTo"))" },
        ].compactMap(\.self)
    }

    /// What ``terms(_:)`` binds.
    var arguments: [String: DatabaseValue] {
        (after?.arguments("after") ?? [:]).merging(upTo?.arguments("upTo") ?? [:]) { $1 }
    }

    /// The range of the first `count` rows of this one that `terms` holds of, and its last key; the whole range and nil
    /// when it has fewer. `arguments`: what the terms bind.
    func prefix(
        _ count: Int, of terms: [String], _ arguments: [String: DatabaseValue], _ table: TableSchema,
        in db: Database
    ) throws -> (range: KeyRange, end: TableKey?) {
        let all = terms + self.terms(table)
        var values = self.arguments.merging(arguments) { $1 }
        values["passed"] = .int64(Int64(count - 1))
        let end = try db.row(
            """
            SELECT \(TableKey.selection(table)) FROM \(table.name.quotedIdentifier) \
            \(all.isEmpty ? "" : "WHERE " + all.joined(separator: " AND ")) \
            ORDER BY \(table.keyOrder) LIMIT 1 OFFSET :passed
            """, values
        ).map { try TableKey($0, in: db) }
        var range = self
        range.upTo = end
        return (range, end)
    }
}
