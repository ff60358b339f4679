import SQLite

/// A range of keys: after one key, up to and including another. A nil key means no limit.
struct KeyRange {
    private(set) var after: TableKey?
    private(set) var upTo: TableKey?

    init(after: TableKey?, upTo: TableKey? = nil) {
        (self.after, self.upTo) = (after, upTo)
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

    /// The part of this range with the last `count` rows, and the last key before that part. If there are fewer rows: the
    /// whole range, and nil.
    func suffix(
        _ count: Int, of table: TableSchema, in db: Database
    ) throws -> (range: KeyRange, start: TableKey?) {
        let terms = self.terms(table)
        let start = try db.row(
            """
            SELECT \(TableKey.selection(table)) FROM \(table.name.quotedIdentifier) \
            \(terms.isEmpty ? "" : "WHERE " + terms.joined(separator: " AND ")) \
            ORDER BY \(table.keyParts.map { $0 + " DESC" }.joined(separator: ", ")) LIMIT 1 OFFSET :passed
            """, arguments.merging(["passed": .int64(Int64(count))]) { $1 }
        ).map { try TableKey($0, in: db) }
        var range = self
        range.after = start ?? after
        return (range, start)
    }
}
