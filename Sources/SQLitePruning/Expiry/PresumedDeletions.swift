import Pruning
import SQLite

/// The rows that a dry run treats as deleted: those of the rules before its own, and their dependents.
struct PresumedDeletions {
    private var conditions: [ExpiryCondition] = []
    /// The foreign keys by which rows are deleted with others; empty if no rule has dependents.
    private let cascades: [ForeignKey]

    init(before task: PruneTask, leases: LeaseFunction?, in db: Database) throws {
        let haveDependents = task.presumedDone.contains { !$0.rule.dependents.isEmpty }
        cascades = haveDependents ? try ForeignKey.cascading(in: db) : []
        for done in task.presumedDone where !done.rule.action.isMark || done.rule.action == task.rule.action {
            do {
                let bound = try BoundRule(done.rule, in: db)
                conditions.append(
                    try ExpiryCondition(bound: bound, task: done, leases: leases, presumed: self, in: db))
            } catch is SchemaMismatch {
                continue  // it deletes nothing
            }
        }
    }

    /// SQL terms that are all true if `row`, the name of a row of `table`, is not among them. Empty if no row of
    /// `table` is. They are never NULL, but a condition may be: of a group without enough rows, for example.
    func sparing(_ row: String, of table: String) -> [String] {
        gone(row, of: table, path: []).map { "(\($0)) IS NOT TRUE" }
    }

    /// SQL for each way in which `row` is deleted. Cycles of foreign keys are left out.
    private func gone(_ row: String, of table: String, path: Set<[UInt8]>) -> [String] {
        let path = path.union([table.comparedName])
        let byItself = conditions.filter { $0.bound.table.name.comparedName == table.comparedName }
        return byItself.map { $0.expired(row) }
            + cascades.over(table).filter { !path.contains($0.parent.comparedName) }.compactMap { key in
                let parent = row + " " + key.parent
                let ways = gone(parent, of: key.parent, path: path)
                guard !ways.isEmpty else { return nil }
                return """
                    EXISTS (SELECT 1 FROM \(key.parent.quotedIdentifier) AS \(parent.quotedIdentifier) \
                    WHERE \(key.matches(child: row, parent: parent)) AND (\(ways.balanced("OR"))))
                    """
            }
    }
}
