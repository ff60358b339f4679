import FoundationEssentials
import Pruning

/// The rows that were put back from the archive and must stay for a while.
struct LeasedRows {
    /// The keys of the rows, as ``RowKey`` writes them.
    private let keys: [String]
    private let key: RowKey
    let end: Date?

    /// Finds the leased ones among the rows that are old enough, because the archive only has fingerprints of their keys.
    /// Nil if there are none.
    init?(_ leases: Leases, of condition: ExpiryCondition, in connection: Connection) throws {
        guard !leases.isEmpty else { return nil }
        let key = RowKey(of: condition.bound.relation)
        let place = condition.isPast.isEmpty ? "" : " WHERE " + condition.isPast.joined(separator: " AND ")
        let from = condition.from()
        let found = try connection.query("\(condition.with(of: from))SELECT \(key.sql) \(from)\(place)")
        keys = (0..<found.count).compactMap { row in
            guard let bytes = found.bytes(row, 0), leases.contains(Leases.fingerprint(of: bytes)) else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard !keys.isEmpty else { return nil }
        (self.key, end) = (key, leases.end)
    }

    /// SQL that is true of a row without a lease.
    var isAbsent: String {
        "\(key.sql) <> ALL (\(String.arrayLiteral(keys).quotedLiteral)::text[])"
    }
}

/// What identifies a row of a table, as one text.
struct RowKey {
    /// SQL of the text. Without a primary key it is the whole row.
    let sql: String

    init(of relation: Relation) {
        let columns = relation.primaryKey.isEmpty ? relation.columns.map(\.name) : relation.primaryKey
        let parts = columns.map(relation.column)
        sql = parts.count == 1 ? "\(parts[0])::text" : "ROW(\(parts.joined(separator: ", ")))::text"
    }
}
