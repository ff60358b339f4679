import Pruning
import RuleEngine
import SQLite

/// The rows of a table that the rules before a task mark, as a dry run presumes.
///
/// A later rule on the table may judge by a column that a mark sets. So the marked rows are in a temporary table of the
/// connection: their keys and the set columns, with the names, types and collations that they have in the table itself.
struct PresumedMarks {
    private let rows: PresumedRows
    var table: TableSchema { rows.table }

    /// No rows at first.
    init(on table: TableSchema, before task: PruneTask, in db: Database) throws {
        // Besides what marks set, the columns that hide the rowid under one of its names.
        let set = Set(task.presumedDone.flatMap(\.rule.action.columns).map(\.comparedName))
        let names = set.union(["rowid", "_rowid_", "oid"].map(\.comparedName))
        let keys = Set(table.key.map(\.comparedName))
        let columns = table.columns.filter {
            names.contains($0.name.comparedName) && !keys.contains($0.name.comparedName)
        }
        rows = try PresumedRows(
            of: table, named: "pruned marks before \(task.rule.name.unfolded)", columns: columns, in: db)
    }

    /// Adds the rows that `condition` takes, and gives them the values of `mark`. Of a row that is there already, the
    /// other columns stay as an earlier mark set them.
    func add(_ mark: Mark, to condition: ExpiryCondition, in db: Database) throws {
        let names = rows.names.map(\.quotedIdentifier).joined(separator: ", ")
        let place = (condition.withinWindow + [condition.expired]).joined(separator: " AND ")
        let values = rows.names.map { mark.literal(of: $0) ?? table.column($0) }
        try db.execute(
            """
            INSERT INTO \(rows.name) (\(names)) SELECT \(values.joined(separator: ", ")) \
            FROM \(table.name.quotedIdentifier) WHERE \(place) ON CONFLICT DO UPDATE SET \(mark.assignments)
            """, condition.values())
    }

    /// `term`, SQL that is never NULL, with the values of the marked rows. Columns that no mark sets are those of the
    /// table itself: SQLite looks for a name in the innermost query first, where the marked row has the table's name.
    func after(_ term: String) -> String {
        let (row, marked) = (table.name, table.name + " marked")
        return """
            coalesce((SELECT (SELECT \(term) FROM \(rows.name) AS \(row.quotedIdentifier) WHERE \(rows.isSame(row, marked))) \
            FROM \(rows.name) AS \(marked.quotedIdentifier) WHERE \(rows.isSame(marked, row))), \(term))
            """
    }
}
