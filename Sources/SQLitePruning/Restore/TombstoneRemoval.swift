import Archive
import Pruning
import Retention
import SQLite

/// Removes the tombstones that a run added, once their rows are back. Otherwise the app would take a restored row for a
/// deleted one.
struct TombstoneRemoval {
    private let statement: String
    /// The positions of the copied values in a row.
    private let sources: [Int]

    /// Nil if the table of the tombstones, or one of its columns, no longer exists. `columns` are those of a row.
    init?(of tombstone: Tombstone, columns: [String], place: String, in db: Database) throws {
        let positions = Dictionary(columns.enumerated().map { ($1.comparedName, $0) }) { first, _ in first }
        let found = tombstone.columns.map { positions[$0.source.comparedName] }
        guard let table = try TableSchema(tombstone.table, in: db),
            tombstone.columns.allSatisfy({ table.columnNamed($0.column) != nil }), !found.contains(nil)
        else { return nil }
        sources = found.compactMap(\.self)
        // The column's own collation finds it by an index, and by BINARY it is not another's.
        let terms = tombstone.columns.enumerated().flatMap { number, copied in
            ["", " COLLATE BINARY"].map { "\(table.column(copied.column)) IS :t\(number)\($0)" }
        }
        statement = "DELETE FROM \(table.name.quotedIdentifier) WHERE \(terms.joined(separator: " AND "))"
        let reach = try DeleteReach(of: statement, in: db)
        let other = reach.writes.first {
            $0.table.comparedName != table.name.comparedName || $0.trigger != nil
        }
        guard let other else { return }
        throw StoreError(
            .unsafe, operation: "take tombstones of \(table.name) back", place: place,
            cause: "that would also \(other.operation.rawValue) rows of \(other.table)",
            hint: "the rows stay in the archive; look for triggers and foreign keys on \(table.name)")
    }

    /// Removes the tombstone of a row with these values.
    func run(_ values: ArraySlice<ArchivedValue>, in db: Database) throws {
        let copied = sources.enumerated().map { ("t\($0)", values[values.startIndex + $1].bound) }
        try db.execute(statement, Dictionary(uniqueKeysWithValues: copied))
    }
}
