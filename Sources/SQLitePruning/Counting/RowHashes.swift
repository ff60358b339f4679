import Retention
import SQLite

/// Tells rows of a rule's table from others: by what identifies each even after a VACUUM, and by its time.
struct RowHashes {
    private let table: String
    private let columns: String

    init(of bound: BoundRule) {
        let table = bound.table
        var names = table.identity
        if !names.contains(bound.time.name) { names.append(bound.time.name) }
        self.table = table.name.quotedIdentifier
        // Of rows that lack their key, all else must tell one from another.
        let lacksKey = table.primaryKey.map { table.column($0) + " IS NULL" }.joined(separator: " OR ")
        let others = table.mayLackKey ? table.storedColumns.filter { !names.contains($0) } : []
        columns =
            (names.flatMap { Self.values(table.column($0)) }
            + others.flatMap { Self.values(table.column($0)) }.map { "iif(\(lacksKey), \($0), NULL)" })
            .joined(separator: ", ")
    }

    /// A text as its bytes, whatever its encoding, and told from a blob of the same.
    private static func values(_ column: String) -> [String] {
        let isText = "typeof(\(column)) = 'text'"
        return [isText, "iif(\(isText), CAST(\(column) AS BLOB), \(column))"]
    }

    /// Which rows of the table, or of a slice of it, `condition` takes for expired. Read in the table's order, as what a
    /// person has to confirm is a large share of it.
    func expired(
        by condition: ExpiryCondition, of slice: Slice? = nil, in db: Database
    ) throws -> RowsFingerprint {
        let terms = (slice?.terms ?? []) + [condition.expired]
        return try fingerprint(
            of: "FROM \(table) WHERE \(terms.joined(separator: " AND "))",
            condition.values(and: slice?.arguments ?? [:]), in: db)
    }

    /// Which rows `rows` ("FROM ... WHERE ...") names.
    func fingerprint(
        of rows: String, _ values: [String: DatabaseValue], in db: Database
    ) throws -> RowsFingerprint {
        var fingerprint = RowsFingerprint()
        try db.eachRow("SELECT \(columns) \(rows)", values) { fingerprint.add(XXHash64.hash($0)) }
        return fingerprint
    }
}
