import Pruning
import RuleEngine
import SQLite

/// The rows of a table that the rules before a task mark, as a dry run presumes.
///
/// A later rule on the table may judge by a column that a mark sets. So the marked rows are in a temporary table of the
/// connection: their keys and the set columns, with the names, types and collations that they have in the table itself.
struct PresumedMarks {
    let table: TableSchema
    private let name: String
    /// The columns that marks set, and those that hide the rowid under one of its names.
    private let columns: [TableSchema.Column]

    /// No rows at first.
    init(on table: TableSchema, before task: PruneTask, in db: Database) throws {
        self.table = table
        name = "temp." + "pruned marks before \(task.rule.name)".quotedIdentifier
        let set = Set(task.presumedDone.flatMap(\.rule.action.columns).map(\.comparedName))
        let names = set.union(["rowid", "_rowid_", "oid"].map(\.comparedName))
        let keys = Set(table.key.map(\.comparedName))
        columns = table.columns.filter {
            names.contains($0.name.comparedName) && !keys.contains($0.name.comparedName)
        }
        try db.execute("DROP TABLE IF EXISTS \(name)")
        try db.execute("CREATE TABLE \(name) " + definition)
    }

    private var definition: String {
        guard table.isWithoutRowID else {
            let key = table.key[0].quotedIdentifier + " INTEGER PRIMARY KEY"
            return "(\(([key] + columns.map(definition)).joined(separator: ", ")))"
        }
        let keys = table.key.compactMap(table.columnNamed)
        let primary = zip(table.key, table.keyCollations).map {
            "\($0.quotedIdentifier) COLLATE \($1.quotedIdentifier)"
        }
        let key = "PRIMARY KEY (\(primary.joined(separator: ", ")))"
        return "(\(((keys + columns).map(definition) + [key]).joined(separator: ", "))) WITHOUT ROWID"
    }

    /// In a STRICT table, ANY means no type.
    private func definition(_ column: TableSchema.Column) -> String {
        let hasType = !column.type.isEmpty && !(table.isStrict && column.type.uppercased() == "ANY")
        let type = hasType ? " " + column.type.quotedIdentifier : ""
        return "\(column.name.quotedIdentifier)\(type) COLLATE \(column.collation.quotedIdentifier)"
    }

    /// Adds the rows that `condition` takes, and gives them the values of `mark`. Of a row that is there already, the
    /// other columns stay as an earlier mark set them.
    func add(_ mark: Mark, to condition: ExpiryCondition, in db: Database) throws {
        let names = (table.key + columns.map(\.name)).map(\.quotedIdentifier).joined(separator: ", ")
        let place = (condition.withinWindow + [condition.expired]).joined(separator: " AND ")
        let values = (table.key + columns.map(\.name)).map { mark.literal(of: $0) ?? table.column($0) }
        try db.execute(
            """
            INSERT INTO \(name) (\(names)) SELECT \(values.joined(separator: ", ")) \
            FROM \(table.name.quotedIdentifier) WHERE \(place) ON CONFLICT DO UPDATE SET \(mark.assignments)
            """, condition.values())
    }

    /// `term`, SQL that is never NULL, with the values of the marked rows. Columns that no mark sets are those of the
    /// table itself: SQLite looks for a name in the innermost query first, where the marked row has the table's name.
    func after(_ term: String) -> String {
        let (row, marked) = (table.name, table.name + " marked")
        return """
            coalesce((SELECT (SELECT \(term) FROM \(name) AS \(row.quotedIdentifier) WHERE \(isSame(row, marked))) \
            FROM \(name) AS \(marked.quotedIdentifier) WHERE \(isSame(marked, row))), \(term))
            """
    }

    private func isSame(_ a: String, _ b: String) -> String {
        zip(table.key, table.keyCollations).map { column, collation in
            let name = column.quotedIdentifier
            return
                "\(a.quotedIdentifier).\(name) = \(b.quotedIdentifier).\(name) COLLATE \(collation.quotedIdentifier)"
        }.joined(separator: " AND ")
    }
}
