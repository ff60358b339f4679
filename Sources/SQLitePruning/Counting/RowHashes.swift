import Archive
import Retention
import SQLite

/// Identifies rows of a rule's table: by the values that identify a row even after a VACUUM, and by its time.
struct RowHashes {
    private let table: String
    private let columns: String

    init(of bound: BoundRule) {
        let table = bound.table
        var names = table.identity
        if let time = bound.time?.name, !names.contains(time) { names.append(time) }
        self.table = table.name.quotedIdentifier
        // Rows that lack their key are identified by all their other columns.
        let lacksKey = table.primaryKey.map { table.column($0) + " IS NULL" }.joined(separator: " OR ")
        let others = table.mayLackKey ? table.storedColumns.filter { !names.contains($0) } : []
        columns =
            (names.flatMap { Self.values(table.column($0)) }
            + others.flatMap { Self.values(table.column($0)) }.map { "iif(\(lacksKey), \($0), NULL)" })
            .joined(separator: ", ")
    }

    /// A text as its bytes, whatever its encoding, and distinct from a blob of the same bytes.
    private static func values(_ column: String) -> [String] {
        let isText = "typeof(\(column)) = 'text'"
        return [isText, "iif(\(isText), CAST(\(column) AS BLOB), \(column))"]
    }

    /// The rows of the table, or of a slice of it, that `condition` finds expired. They are read in the table's order,
    /// because a deletion that a person must confirm is a large share of the table.
    func expired(
        by condition: ExpiryCondition, of slice: Slice? = nil, in db: Database
    ) throws -> RowsFingerprint {
        let terms = (slice?.terms ?? []) + [condition.expired]
        return try fingerprint(
            of: "FROM \(table) WHERE \(terms.joined(separator: " AND "))",
            condition.values(and: slice?.arguments ?? [:]), in: db)
    }

    /// The fingerprint of the rows that `rows` ("FROM ... WHERE ...") selects.
    func fingerprint(
        of rows: String, _ values: [String: DatabaseValue], in db: Database
    ) throws -> RowsFingerprint {
        var fingerprint = RowsFingerprint()
        try db.eachRow("SELECT \(columns) \(rows)", values) { fingerprint.add(XXHash64.hash($0)) }
        return fingerprint
    }
}
