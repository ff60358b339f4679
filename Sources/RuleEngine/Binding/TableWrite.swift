import Conditions
import Pruning
import Retention

/// A table that a rule changes in a run: its own, its dependents, that of its tombstones, and those that foreign keys and
/// triggers reach.
package struct TableWrite: Sendable {
    /// A change of rows by a trigger that may fire with the rows of a rule.
    package struct ByTrigger: Equatable, Sendable {
        package let trigger: String
        package let table: TableName
        package let isDeletion: Bool

        package init(_ trigger: String, _ table: TableName, isDeletion: Bool) {
            (self.trigger, self.table, self.isDeletion) = (trigger, table, isDeletion)
        }
    }

    let table: TableName
    /// What is said of the table: "of which rule NAME deletes rows".
    private let deed: String
    private let isDeletion: Bool
    /// Whether a dry run knows all of its rows that go.
    private let isPresumed: Bool
    /// Whether a trigger changes rows of the table and leaves them there.
    private let changesRows: Bool
    /// The only column that is changed; nil if rows are deleted, or any column may be.
    private var column: String?
    /// Set if each row that is deleted belongs to a row of the rule's table.
    private let dependents: OwnDependents?

    /// Throws a ``SchemaMismatch`` if a condition of `rule`, whose table is `judged`, reads a table that the rule itself changes,
    /// or another rule of the store other than by deleting rows. A row would stay or go by what a batch before did, or by
    /// what no dry run can presume. Rows that another rule deletes are gone when a later rule is judged, and not before.
    ///
    /// `rules` are those of the store; `triggers` tells what triggers do with the rows of one. Whether a rule can run does not
    /// matter.
    package static func check(
        _ conditions: [RowCondition], of rule: RetentionRule, on judged: TableName,
        beside rules: [RetentionRule], in catalog: Catalog,
        triggers: (RetentionRule) throws -> [ByTrigger] = { _ in [] }
    ) throws {
        guard !conditions.isEmpty else { return }
        // Of many rules that write the same, the first is told.
        var seen: Set<[[UInt8]]> = []
        let others = rules.filter { $0.name != rule.name && seen.insert($0.writes).inserted }
        for other in [rule] + others {
            let isOwn = other.name == rule.name
            for write in all(by: other, in: catalog, try triggers(other)) {
                for condition in conditions {
                    try write.check(condition, of: judged, isOwn: isOwn, in: catalog)
                }
            }
        }
    }

    /// The rule's own table is no other table of its conditions. A trigger of another rule may still not change the values by
    /// which its rows are judged.
    private func check(
        _ condition: RowCondition, of judged: TableName, isOwn: Bool, in catalog: Catalog
    ) throws(SchemaMismatch) {
        let isChanged = changesRows && judged == table && (column.map(condition.reads) ?? !isOwn)
        if let column, !isChanged, !condition.reads(column, of: table) { return }
        let read = try catalog.read(by: condition).map(\.name).filter { catalog.overlaps($0, table) }
        guard let found = read.first ?? (isChanged ? judged : nil) else { return }
        // A partition has rows of its table, and is none whose rows are known to belong to the judged one.
        let isTableAlone = read.allSatisfy { $0 == table }
        if !isOwn, isDeletion, isTableAlone, !isChanged, isPresumed { return }
        if isOwn, isTableAlone, dependents?.areAllThatIsRead(by: condition.condition) == true { return }
        let hint: String? =
            switch (isOwn, isDeletion) {
            case (false, true): "read the table of that rule itself, or name its column in kept_by"
            case (true, true) where judged == table:
                "what is kept must not depend on what is deleted; keep_last keeps the newest rows"
            case (true, _):
                dependents.map { "read only the rows that belong to the row itself: \($0.existence)" }
            default: nil
            }
        throw condition.refusal(
            "reads \(found), \(deed)", hint: hint ?? "what is kept must not depend on what the run changes")
    }

    /// What `rule` writes, whether or not it can run.
    private static func all(
        by rule: RetentionRule, in catalog: Catalog, _ triggers: [ByTrigger]
    ) -> [TableWrite] {
        let name = rule.name
        guard let table = catalog.tableIfAny(named: rule.table) else { return [] }
        let keys = rule.action.isMark ? [] : catalog.declaring(rule).cascades(from: table.name)
        let (areFollowed, comesBack) = (
            keys.areFollowed(from: table.name), keys.contains { $0.child == table.name }
        )
        let triggered = Set(triggers.map(\.table))
        func write(
            _ written: TableName, _ deed: String, isDeletion: Bool = false, changesRows: Bool = false,
            byKey: Bool = false
        ) -> TableWrite {
            let acting =
                byKey && !triggered.contains(written)
                ? keys.filter { catalog.overlaps($0.child, written) } : []
            return TableWrite(
                table: written, deed: deed, isDeletion: isDeletion,
                isPresumed: written == table.name ? !comesBack : areFollowed,
                changesRows: changesRows,
                dependents: catalog.tables[written].flatMap { OwnDependents(of: table, in: $0, by: acting) })
        }
        func named(_ name: String) -> TableName? { catalog.tableIfAny(named: name, beside: table.name)?.name }
        let deletes = "of which rule \(name) deletes rows"
        let own =
            rule.action.isMark
            ? write(table.name, "whose rows rule \(name) marks")
            : write(table.name, deletes, isDeletion: true)
        let declared = rule.dependents.sorted().compactMap(named)
        let dependents = declared.map { write($0, deletes, isDeletion: true, byKey: true) }
        let tombstones = [rule.tombstone?.table].compactMap(\.self).compactMap(named).map {
            write($0, "where rule \(name) leaves tombstones")
        }
        let keepers = Set(rule.keptBy.compactMap { named($0.table) })
        let byKeys = keys.filter { key in
            (key.child != table.name || key.isDeclared) && !keepers.contains(key.child)
                && !(key.cascades && declared.contains(key.child))
        }.map { key in
            let way = key.isDeclared ? "detach" : "a foreign key"
            var write = write(
                key.child, "which changes with the rows of rule \(name) (\(way))",
                changesRows: key.isDeclared, byKey: true)
            write.column = key.isDeclared ? key.childColumns[0] : nil
            return write
        }
        let byTriggers = triggers.filter { $0.table != table.name }.map {
            write(
                $0.table, "which changes with the rows of rule \(name) (trigger \($0.trigger))",
                changesRows: !$0.isDeletion)
        }
        return [own] + dependents + tombstones + byKeys + byTriggers
    }
}

extension RetentionRule {
    /// Those of the store's rules whose writes matter to this one: none if it marks no rows, and its conditions read no other
    /// table. Many rules of a store need not be read for each of them. `mayFire`: whether triggers may write.
    package func beside(
        _ rules: [RetentionRule], reading tables: [String], mayFire: Bool = false
    ) -> [RetentionRule] {
        action.isMark || !tables.isEmpty || mayFire || rules.contains { !$0.detach.isEmpty } ? rules : []
    }
}

extension Binding {
    /// The rows of `table` that go with rows of the rule; nil unless one foreign key alone deletes these.
    package func ownDependents(in table: Table) -> OwnDependents? {
        OwnDependents(of: self.table, in: table, by: cascades.filter { $0.child == table.name })
    }
}

extension OwnDependents {
    /// Nil unless `keys`, which are all that act on `table`, are one that deletes rows with those of `owner`, and equal values
    /// of its columns mean the same row to any comparison.
    fileprivate init?(of owner: Table, in table: Table, by keys: [ForeignKey]) {
        guard keys.count == 1, let key = keys.first, key.cascades, key.parent == owner.name,
            key.child == table.name, table.name != owner.name, owner.name.schema == table.name.schema
        else { return nil }
        let columns = Array(zip(key.childColumns, key.parentColumns))
        let isSame = columns.allSatisfy { own, owners in
            guard let own = table.column(own), let owners = owner.column(owners) else { return false }
            return own.comparison == owners.comparison
        }
        guard isSame else { return nil }
        self.init(of: owner.name.name, in: table.name.description, by: columns.map { ($0, $1) })
    }
}

extension [ForeignKey] {
    /// Whether each table that cascades reach from `table` is reached by one key, of a whole table that is reached before it.
    fileprivate func areFollowed(from table: TableName) -> Bool {
        var left = filter(\.cascades)
        var reached: Set = [table]
        while let next = left.firstIndex(where: { reached.contains($0.parent) }) {
            guard reached.insert(left.remove(at: next).child).inserted else { return false }
        }
        return left.isEmpty
    }
}

extension Catalog {
    /// The tables that a condition reads besides the judged row, which are those that its SQL names. A name says less: a
    /// table of another schema may have it.
    package func read(by condition: RowCondition) throws(SchemaMismatch) -> [Table] {
        var found: [Table] = []
        for read in condition.tables {
            guard let table = tables[TableName(read.alias, in: read.schema)] else {
                throw condition.refusal(
                    "reads \(read.name), which is not what it was a moment ago",
                    hint: "its owner may be changing it: run pruned again")
            }
            found.append(table)
        }
        return found
    }
}

extension RowCondition {
    /// Whether it reads the column of the row that it judges.
    fileprivate func reads(_ column: String) -> Bool {
        condition.columns.contains { $0.depth == 0 && $0.column.name == column }
    }

    /// Whether a subquery reads the column of `table`.
    fileprivate func reads(_ column: String, of table: TableName) -> Bool {
        let aliases = condition.subqueries.flatMap(\.tables).filter {
            TableName($0.table.name, in: $0.table.schema) == table
        }.map(\.alias)
        return condition.columns.contains {
            $0.depth > 0 && $0.column.name == column && aliases.contains($0.alias)
        }
    }

    package func refusal(_ reason: String, hint: String, kind: StoreErrorKind = .schema) -> SchemaMismatch {
        SchemaMismatch(
            "\(keys.joined(separator: ".")) = \"\(text)\" \(reason)", hint: hint, kind: kind, keys: keys)
    }
}

extension RetentionRule {
    /// What decides what a rule writes.
    fileprivate var writes: [[UInt8]] {
        let texts =
            [table, "\(action.isMark)", tombstone?.table ?? ""] + dependents.sorted() + [""]
            + keptBy.map(\.description).sorted() + [""] + action.columns.sorted() + [""]
            + (dependentColumns.map(\.description) + [""] + detach.map(\.description))
        return texts.map { Array($0.utf8) }
    }
}
