import Pruning
import RuleEngine
import SQLite

/// What a dry run presumes that the rules before a task have done: the rows that they and their cascades delete, and
/// the rows of the task's own table that they mark.
struct EarlierRules {
    private var deletions: [ExpiryCondition] = []
    /// Nil if no rule marks rows of the task's table.
    private var marks: PresumedMarks?
    /// The foreign keys by which rows are deleted with others; empty if no rule has dependents.
    private let cascades: [ForeignKey]

    /// `table` is that of the task.
    init(before task: PruneTask, on table: TableSchema, leases: LeaseFunction?, in db: Database) throws {
        let haveDependents = task.presumedDone.contains { !$0.rule.dependents.isEmpty }
        cascades = haveDependents ? try ForeignKey.cascading(in: db) : []
        for done in task.presumedDone
        where !done.rule.action.isMark || done.rule.table.comparedName == table.name.comparedName {
            do {
                let bound = try BoundRule(done.rule, in: db)
                let condition = try ExpiryCondition(
                    bound: bound, task: done, leases: leases, earlier: self, in: db)
                guard let mark = bound.mark else {
                    deletions.append(condition)
                    continue
                }
                if marks == nil { marks = try PresumedMarks(on: table, before: task, in: db) }
                try marks?.add(mark, to: condition, in: db)
            } catch is SchemaMismatch {
                continue  // it changes nothing
            }
        }
    }

    /// The same of one rule, with its own rows and dependents.
    init(having condition: ExpiryCondition, in db: Database) throws {
        (deletions, cascades) = ([condition], try ForeignKey.cascading(in: db))
    }

    /// SQL that is true if `row`, the name of a row of `table`, is among the deleted. It may be NULL.
    func taking(_ row: String, of table: String) -> String {
        "(\((gone(row, of: table) + ["0"]).balanced("OR")))"
    }

    /// SQL terms that are all true if `row`, the name of a row of `table`, is not among the deleted. Empty if no row of
    /// `table` is. They are never NULL, but a condition may be: of a group without enough rows, for example.
    func sparing(_ row: String, of table: String) -> [String] {
        gone(row, of: table).map { "(\($0)) IS NOT TRUE" }
    }

    /// What stands in FROM instead of `table`; nil if no row of it is among the deleted. What the rules take is found once:
    /// with rules that read each other's tables, SQL that finds it anew would nest deeper than SQLite parses.
    func left(of table: TableSchema, before task: PruneTask, in db: Database) throws -> String? {
        let (row, found) = (table.name + " left", table.name + " gone")
        let ways = gone(row, of: table.name)
        guard !ways.isEmpty else { return nil }
        let rows = try PresumedRows(
            of: table, named: "pruned \(found) before \(task.rule.name.unfolded)", in: db)
        let key = { (row: String) in
            table.key.map { "\(row.quotedIdentifier).\($0.quotedIdentifier)" }.joined(separator: ", ")
        }
        let from = "FROM \(table.name.quotedIdentifier) AS \(row.quotedIdentifier)"
        try db.execute("INSERT INTO \(rows.name) SELECT \(key(row)) \(from) WHERE \(ways.balanced("OR"))")
        let all = table.columns.map { "\(row.quotedIdentifier).\($0.name.quotedIdentifier)" }
        let columns = table.isWithoutRowID || table.columnNamed(table.key[0]) != nil ? all : all + [key(row)]
        return """
            (SELECT \(columns.joined(separator: ", ")) \(from) WHERE NOT EXISTS \
            (SELECT 1 FROM \(rows.name) AS \(found.quotedIdentifier) WHERE \(rows.isSame(found, row))))
            """
    }

    /// What each rule in its turn takes of `table`, whose rows refer to others of it: SQL for `row`. Only the rules of the table
    /// itself wait until no row refers to it.
    func turns(_ row: String, of table: String) -> [(takes: String, waits: Bool)] {
        deletions.compactMap { deletion in
            guard deletion.bound.table.name.comparedName != table.comparedName else {
                return (deletion.ageAndTerms(row), true)
            }
            var alone = self
            alone.deletions = [deletion]
            let ways = alone.gone(row, of: table)
            return ways.isEmpty ? nil : (ways.balanced("OR"), false)
        }
    }

    /// `term` with the values that the rows of `table` have after the marks. It is SQL that is never NULL, and names the
    /// table by its own name.
    func afterMarks(_ term: String, of table: TableSchema) -> String {
        guard let marks, marks.table.name == table.name else { return term }
        return marks.after(term)
    }

    /// SQL for each rule that deletes `row` with one of its own rows, by a column that it declares.
    private func belonging(_ row: String, of table: String) -> [String] {
        deletions.flatMap { deletion in
            deletion.bound.binding.declaredKeys.filter { $0.cascades && $0.child.name == table }.map { key in
                let parent = row + " owner"
                return """
                    EXISTS (SELECT 1 FROM \(key.parent.name.quotedIdentifier) AS \(parent.quotedIdentifier) \
                    WHERE \(key.matches(child: row, parent: parent)) AND \(deletion.expired(parent)))
                    """
            }
        }
    }

    /// SQL for each way in which `row` is deleted. Cycles of foreign keys are left out.
    private func gone(_ row: String, of table: String, path: Set<[UInt8]> = []) -> [String] {
        let path = path.union([table.comparedName])
        let byItself = deletions.filter { $0.bound.table.name.comparedName == table.comparedName }
        return byItself.map { $0.expired(row) } + belonging(row, of: table)
            + cascades.over(table).filter { !path.contains($0.parent.name.comparedName) }.compactMap { key in
                let parent = row + " " + key.parent.name
                let ways = gone(parent, of: key.parent.name, path: path)
                guard !ways.isEmpty else { return nil }
                return """
                    EXISTS (SELECT 1 FROM \(key.parent.name.quotedIdentifier) AS \(parent.quotedIdentifier) \
                    WHERE \(key.matches(child: row, parent: parent)) AND (\(ways.balanced("OR"))))
                    """
            }
    }
}
