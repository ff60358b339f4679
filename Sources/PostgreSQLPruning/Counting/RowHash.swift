import Retention

/// Identifies rows by their key and time, by a hash that the server computes.
struct RowHash {
    /// SQL of the hash of a row.
    let sql: String

    init(of bound: BoundRule) {
        let relation = bound.relation
        let key = relation.primaryKey.isEmpty ? relation.columns.map(\.name) : relation.primaryKey
        let columns =
            key + [bound.time?.name].compactMap { name in name.flatMap { key.contains($0) ? nil : $0 } }
        sql = "hashtextextended(ROW(\(columns.map(relation.column).joined(separator: ", ")))::text, 0)"
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
