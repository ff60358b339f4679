import Conditions
import Pruning
import Retention
import RuleEngine
import SQLite

/// The SQL of the tombstones that a rule leaves.
struct TombstoneTable: Equatable {
    let table: TableSchema
    private let of: TableSchema
    private let bound: BoundTombstone
    /// Only deleted rows of which it is true get a tombstone.
    let condition: RowCondition?

    /// Throws a ``SchemaMismatch`` if writing a tombstone would change other tables. `rows` is the rule's table.
    init(_ bound: BoundTombstone, _ condition: RowCondition?, of rows: TableSchema, in db: Database) throws {
        guard let table = try TableSchema(bound.table.name.name, in: db) else {
            throw SchemaMismatch.gone(bound.table.name.description)
        }
        (self.bound, self.condition, of, self.table) = (bound, condition, rows, table)
        try SchemaMismatch.blaming(BoundTombstone.keys(.table), table.name.inQuotes) {
            try checkReach(in: db)
        }
    }

    private func checkReach(in db: Database) throws {
        let reach = try DeleteReach(
            of: insertion(from: "FROM \(of.name.quotedIdentifier) WHERE 0 < 1"), in: db)
        guard
            let first = reach.writes.first(where: {
                $0.table.comparedName != table.name.comparedName || $0.trigger != nil
            })
        else { return }
        throw SchemaMismatch(
            "writing a tombstone would also \(first.operation.rawValue) rows of \(first.table)"
                + (first.trigger.map { " (trigger \($0))" } ?? ""),
            hint: "the table of the tombstones must not have triggers that write")
    }

    /// SQL that writes the tombstones of `rows` ("FROM ... WHERE ...") that are not there yet. `WHERE` before ON CONFLICT
    /// is needed by SQLite's grammar. OR IGNORE would also ignore a failed CHECK, and without the key's columns this
    /// would ignore that another unique index refuses a tombstone. Without OR ABORT, SQLite would obey ON CONFLICT REPLACE
    /// in the schema of the table, and delete other tombstones.
    func insertion(from rows: String) -> String {
        let targets = bound.columns.map(\.column.quotedIdentifier).joined(separator: ", ")
        let sources = bound.columns.map { of.column($0.source) }.joined(separator: ", ")
        let wanted = condition.map { " AND " + $0.isTrue } ?? ""
        let parts = bound.key.columns.map(\.quotedIdentifier).joined(separator: ", ")
        return """
            INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(targets)) SELECT \(sources) \(rows)\(wanted) \
            ON CONFLICT (\(parts)) DO NOTHING
            """
    }

    /// SQL that is true of a row that needs no tombstone, or has one.
    var isThere: String {
        condition.map { "((\($0.isTrue)) IS NOT 1 OR \(exists))" } ?? exists
    }

    /// SQL: 1 if a tombstone of the row is needed and not there yet, else 0.
    var isMissing: String { "iif(\(isThere), 0, 1)" }

    /// SQL: a tombstone has the very values of the row's key. One that only compares equal is another's. An index finds it,
    /// and the table itself has it.
    private var exists: String {
        let (found, row) = (
            "\(of.name) tombstone".quotedIdentifier, "\(of.name) tombstone itself".quotedIdentifier
        )
        let parts = bound.key.parts.compactMap { part in
            bound.source(of: part.column).map {
                (column: part.column.quotedIdentifier, source: of.column($0), part.collation ?? "BINARY")
            }
        }
        let isFound = parts.map {
            "\(found).\($0.column) IS \($0.source) COLLATE \($0.2.quotedIdentifier)"
        }
        let isRow =
            table.key.map { "\(row).\($0.quotedIdentifier) IS \(found).\($0.quotedIdentifier)" }
            + parts.map { "\(row).\($0.column) IS \($0.source) COLLATE BINARY" }
        return """
            EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) AS \(found) WHERE \(isFound.joined(separator: " AND ")) \
            AND EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) AS \(row) \(table.looking(into: nil)) \
            WHERE \(isRow.joined(separator: " AND "))))
            """
    }
}
