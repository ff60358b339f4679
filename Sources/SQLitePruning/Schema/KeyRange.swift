import SQLite

/// A range of keys: after one key, up to and including another. A nil key means no limit.
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

    /// The parameters of ``terms(_:)``.
    var arguments: [String: DatabaseValue] {
        (after?.arguments("after") ?? [:]).merging(upTo?.arguments("upTo") ?? [:]) { $1 }
    }

    /// The part of this range with the first `count` rows that satisfy `terms`, and the last key of that part. If there
    /// are fewer rows: the whole range, and nil. `arguments` are the parameters of `terms`.
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
