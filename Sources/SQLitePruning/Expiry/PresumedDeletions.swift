import Pruning
import SQLite

/// What a dry run takes for deleted: the rows of the rules before its own, and those that go with them.
struct PresumedDeletions {
    private var conditions: [ExpiryCondition] = []
    /// By which rows go with others; empty where none of the rules has dependents.
    private let cascades: [ForeignKey]

    init(before task: PruneTask, leases: LeaseFunction?, in db: Database) throws {
        let haveDependents = task.presumedDone.contains { !$0.rule.dependents.isEmpty }
        cascades = haveDependents ? try ForeignKey.cascading(in: db) : []
        for done in task.presumedDone {
            do {
                let bound = try BoundRule(done.rule, in: db)
                conditions.append(
                    try ExpiryCondition(bound: bound, task: done, leases: leases, presumed: self, in: db))
            } catch is SchemaMismatch {
                continue  // it deletes nothing
            }
        }
    }

    /// SQL that is true where `row`, which names a row of `table`, is not among them: terms that all have to be; none where
    /// none of its rows is.
    func sparing(_ row: String, of table: String) -> [String] {
        gone(row, of: table, path: []).map { "NOT (\($0))" }
    }

    /// SQL for each way in which `row` goes. Of a table that points at itself the way round is left out.
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
