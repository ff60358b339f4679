import Retention

/// Identifies rows by their key and time, by a hash that the server computes.
struct RowHash {
    /// SQL of the hash of a row.
    let sql: String
    /// The columns of the hash.
    private let columns: [Relation.Column]
    private let relation: Relation

    init(of bound: BoundRule) {
        let relation = bound.relation
        let key = relation.primaryKey.isEmpty ? relation.columns.map(\.name) : relation.primaryKey
        let columns =
            key + [bound.time?.name].compactMap { name in name.flatMap { key.contains($0) ? nil : $0 } }
        (self.relation, self.columns) = (relation, columns.compactMap { relation[$0] })
        sql = "hashtextextended(ROW(\(columns.map(relation.column).joined(separator: ", ")))::text, 0)"
    }

    /// SQL of what a statement returns of a row that cannot return its hash: Citus allows no function there that depends on
    /// settings.
    var values: String { columns.map { relation.column($0.name) }.joined(separator: ", ") }

    /// The hashes of rows of ``values``: a statement, and its parameters.
    func hashes(of rows: QueryResult) -> (sql: String, values: [String]) {
        let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        let values = columns.enumerated().map { "c\($0)::\($1.baseType)" }.joined(separator: ", ")
        // Of a column of arrays there is no array of values.
        let arrays = columns.indices.map { "$\($0 + 1)::text[]" }.joined(separator: ", ")
        return (
            "SELECT hashtextextended(ROW(\(values))::text, 0) FROM unnest(\(arrays)) AS u (\(names))",
            columns.indices.map { column in
                .arrayLiteral((0..<rows.count).map { rows.text($0, column) })
            }
        )
    }

    /// The fingerprint of rows whose hashes are the first column of `rows`.
    static func fingerprint(of rows: QueryResult) -> RowsFingerprint {
        (0..<rows.count).reduce(into: RowsFingerprint()) {
            $0.add(UInt64(bitPattern: rows.integer($1, 0) ?? 0))
        }
    }

    /// SQL of the sum over rows, modulo 2^64.
    var sum: String { "mod(sum(\(sql)), 18446744073709551616)" }

    /// The fingerprint of rows with this sum, which may be negative; nil for no rows.
    static func fingerprint(rows: Int64, sum: String?) -> RowsFingerprint {
        guard let sum else { return RowsFingerprint(rows: rows) }
        let isNegative = sum.hasPrefix("-")
        let size = UInt64(isNegative ? String(sum.dropFirst()) : sum) ?? 0
        return RowsFingerprint(rows: rows, sum: isNegative ? 0 &- size : size)
    }
}
