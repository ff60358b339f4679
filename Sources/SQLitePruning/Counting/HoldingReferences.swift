import Conditions
import Pruning
import Retention
import RuleEngine
import SQLite

/// The references by which rows that stay hold rows that would go: foreign keys without an action to the rule's table and
/// its dependents. SQLite refuses to delete such rows, and a whole batch with them. Rows of the rule's table that others of
/// it hold stay.
struct HoldingReferences {
    let task: PruneTask
    /// The path of the store.
    let path: String
    /// The tables from which other rules delete before this one does; what these leave is not known.
    let changing: Set<[UInt8]>

    /// The tables from which the rule deletes.
    private var own: Set<[UInt8]> { Set(([task.rule.table] + task.rule.dependents).map(\.comparedName)) }

    /// Throws a ``StoreError`` that names the first key that holds a row. Most tables have none, and `condition` may
    /// read much.
    func check(in db: Database, _ condition: () throws -> ExpiryCondition) throws {
        guard !task.rule.action.isMark else { return }
        let (own, table) = (own, task.rule.table.comparedName)
        let keys = try ForeignKey.all(in: db).filter {
            !$0.acts && own.contains($0.parent.name.comparedName)
                && !changing.contains($0.child.name.comparedName)
                && [$0.child, $0.parent].map(\.name.comparedName) != [table, table]
        }
        guard !keys.isEmpty else { return }
        let condition = try condition()
        let replaced = condition.bound.binding.replacedKeys
        // Triggers may take the other rows away first.
        guard !condition.bound.firesTriggers else { return }
        let going = try EarlierRules(having: condition, in: db)
        for key in keys where !replaced.contains(key) {
            // Of rows that may go with others of their own table, only a deletion can tell.
            if own.contains(key.child.name.comparedName),
                try DependentCensus(condition: condition).isCircular(in: db)
            {
                continue
            }
            let rows = try count(of: key, going, condition, in: db)
            guard rows > 0 else { continue }
            let columns = key.childColumns.joined(separator: ", ")
            let held = HeldRows(rows, of: key.parent.name, by: "rows of \(key.child)", key: "on \(columns)")
            throw StoreError(
                .schema, operation: "apply rule \(task.rule.name)", place: path, cause: held.cause,
                hint: try hint(key, condition.bound, in: db))
        }
    }

    /// How many of the rows that would go are referred to by rows that stay. The table of these is read once.
    private func count(
        of key: ForeignKey, _ going: EarlierRules, _ condition: ExpiryCondition, in db: Database
    ) throws -> Int64 {
        let table = key.parent.name
        let other = table + " referring"
        let parents = key.columns.map { "\(table.quotedIdentifier).\($0.parent.quotedIdentifier)" }
        let children = key.columns.map { "\(other.quotedIdentifier).\($0.child.quotedIdentifier)" }
        let isRules = table.comparedName == condition.bound.table.name.comparedName
        let goes =
            isRules
            ? condition.withinWindow + [condition.expired]
            : condition.notGone(table, of: table) + [going.taking(table, of: table)]
        let stays = (condition.notGone(other, of: key.child.name) + going.sparing(other, of: key.child.name))
            .orTrue
        return try db.value(
            """
            SELECT count(*) FROM \(table.quotedIdentifier) WHERE \(goes.joined(separator: " AND ")) \
            AND (\(parents.joined(separator: ", "))) IN (SELECT \(children.joined(separator: ", ")) \
            FROM \(key.child.name.quotedIdentifier) AS \(other.quotedIdentifier) WHERE \(stays.joined(separator: " AND ")))
            """, condition.values()
        ).integer
    }

    /// What helps; nil where no condition of the rule may say it.
    private func hint(_ key: ForeignKey, _ bound: BoundRule, in db: Database) throws -> String? {
        let table = bound.table
        guard !own.contains(key.child.name.comparedName) else { return nil }
        let keeper = ColumnReference(table: key.child.name, column: key.columns[0].child)
        if key.refers(toKeyOf: bound.binding.table), keeper.isWritable {
            return HeldRows.hint(
                keptBy: (task.rule.keptBy + [keeper]).map(\.description))
        }
        guard key.parent != bound.binding.table.name else {
            return HeldRows.hint(
                protect: task.rule.protect + [key.existence(of: "other", referringTo: table.name)])
        }
        let owning = bound.binding.cascades.first {
            $0.cascades && $0.child == key.parent && $0.parent == bound.binding.table.name
        }
        let dependent = bound.binding.dependents.first { $0.name == key.parent }
        guard let owning, let dependent, bound.binding.ownDependents(in: dependent) != nil else { return nil }
        let isHeld = key.existence(of: "other", referringTo: "own")
        return HeldRows.hint(
            protect: task.rule.protect + [owning.existence(of: "own", referringTo: table.name, and: isHeld)])
    }
}

extension ForeignKey {
    /// A condition as a person writes it: a row of the child, called `name`, refers to the row `parent`.
    fileprivate func existence(of name: String, referringTo parent: String, and more: String? = nil) -> String
    {
        let match = columns.map { "\(name).\($0.child.sqlName) = \(parent.sqlName).\($0.parent.sqlName)" }
        let terms = (match + [more].compactMap(\.self)).joined(separator: " AND ")
        return "EXISTS (SELECT 1 FROM \(child.name.sqlName) \(name) WHERE \(terms))"
    }
}
