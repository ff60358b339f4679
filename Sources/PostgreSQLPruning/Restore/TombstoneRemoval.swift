import Archive
import Retention

/// Removes the tombstones that a run added, once their rows are back. Otherwise the app would take a restored row for a
/// deleted one.
struct TombstoneRemoval {
    let relation: Relation
    /// The statement that removes the tombstone of a row.
    let statement: String
    /// The positions of its values in a row.
    private let sources: [Int]

    /// Nil if the table of the tombstones, or one of its columns, no longer exists. `columns` are those of a row of `table`,
    /// in whose schema a bare name is looked up first.
    init?(
        of tombstone: Tombstone, beside table: Relation, columns: [String], in connection: Connection
    ) throws {
        guard try !connection.names([tombstone.table]).isEmpty else { return nil }
        let relation = try connection.relation(named: tombstone.table, preferring: table.schema)
        let found = tombstone.columns.map { columns.firstIndex(of: $0.source) }
        let targets = tombstone.columns.compactMap { relation[$0.column] }
        guard !found.contains(nil), targets.count == tombstone.columns.count else { return nil }
        self.relation = relation
        sources = found.compactMap(\.self)
        let terms = targets.enumerated().map { number, column in
            "\(relation.column(column.name)) IS NOT DISTINCT FROM $\(number + 1)"
        }
        statement =
            "DELETE FROM \(relation.sql) AS \(relation.alias) WHERE \(terms.joined(separator: " AND "))"
    }

    /// The statement's values for a row.
    func values(of row: ArraySlice<ArchivedValue>) -> [[UInt8]?] {
        sources.map { row[row.startIndex + $0].bytes }
    }
}
