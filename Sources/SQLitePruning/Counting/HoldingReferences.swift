import Pruning
import Retention
import SQLite

/// The references by which rows of other tables hold rows that would go: foreign keys without CASCADE. SQLite refuses to
/// delete such rows, and a whole batch with them. Rows that others of their own table hold stay.
struct HoldingReferences {
    let task: PruneTask
    /// The path of the store.
    let path: String
    /// The tables from which other rules delete before this one does; what these leave is not known.
    let changing: Set<[UInt8]>

    /// Throws a ``StoreError`` that names the first key that holds a row. Most tables have none, and `condition` may
    /// read much.
    func check(in db: Database, _ condition: () throws -> ExpiryCondition) throws {
        guard !task.rule.action.isMark else { return }
        let alongside = changing.union(([task.rule.table] + task.rule.dependents).map(\.comparedName))
        let keys = try ForeignKey.all(in: db).under(task.rule.table).filter {
            !$0.acts && !alongside.contains($0.child.comparedName)
        }
        guard !keys.isEmpty else { return }
        let condition = try condition()
        // Triggers may take the other rows away first.
        guard !condition.bound.firesTriggers else { return }
        for key in keys {
            let rows = try count(of: key, condition, in: db)
            guard rows > 0 else { continue }
            let columns = key.columns.map(\.child).joined(separator: ", ")
            let held = HeldRows(
                rows, of: condition.bound.table.name, by: "rows of \(key.child)", key: "on \(columns)")
            throw StoreError(
                .schema, operation: "apply rule \(task.rule.name)", place: path, cause: held.cause,
                hint: hint(key, of: condition.bound.table))
        }
    }

    /// How many of the rows that would go are referred to. The other table is read once.
    private func count(of key: ForeignKey, _ condition: ExpiryCondition, in db: Database) throws -> Int64 {
        let table = condition.bound.table.name
        let other = (table + " referring").quotedIdentifier
        let parents = key.columns.map { "\(table.quotedIdentifier).\($0.parent.quotedIdentifier)" }
        let children = key.columns.map { "\(other).\($0.child.quotedIdentifier)" }
        let expired = condition.withinWindow + [condition.expired]
        let stays = condition.notGone(table + " referring", of: key.child).orTrue
        return try db.value(
            """
            SELECT count(*) FROM \(table.quotedIdentifier) WHERE \(expired.joined(separator: " AND ")) \
            AND (\(parents.joined(separator: ", "))) IN (SELECT \(children.joined(separator: ", ")) \
            FROM \(key.child.quotedIdentifier) AS \(other) WHERE \(stays.joined(separator: " AND ")))
            """, condition.values()
        ).integer
    }

    private func hint(_ key: ForeignKey, of table: TableSchema) -> String {
        if key.refers(toKeyOf: table) {
            return HeldRows.hint(
                keptBy: task.rule.keptBy.map(\.description) + ["\(key.child).\(key.columns[0].child)"])
        }
        let match = key.columns.map {
            "other.\($0.child.quotedIdentifier) = \(table.name.quotedIdentifier).\($0.parent.quotedIdentifier)"
        }
        let exists =
            "EXISTS (SELECT 1 FROM \(key.child.quotedIdentifier) other WHERE \(match.joined(separator: " AND ")))"
        return HeldRows.hint(protect: task.rule.protect + [exists])
    }
}
