import Conditions
import Retention

/// A table that a rule changes in a run: its own, its dependents, that of its tombstones, and those that foreign keys
/// reach.
struct TableWrite {
    /// The table, and its partitions.
    let tables: Set<UInt32>
    /// What is said of the table: "of which rule NAME deletes rows".
    private let deed: String
    private let isDeletion: Bool
    private let isOwn: Bool
    /// Set if each row that is deleted belongs to a row of the rule's table.
    private let dependents: OwnDependents?

    /// Throws a ``SchemaMismatch`` if the condition reads the table.
    func check(_ read: [Relation], of condition: RowCondition) throws {
        guard let table = read.first(where: { tables.contains($0.oid) }) else { return }
        if isOwn, let dependents, dependents.areAllThatIsRead(by: condition.condition) { return }
        let hint =
            isDeletion && !isOwn
            ? "name its column in kept_by: that rule then runs first"
            : isOwn
                ? dependents.map { "read only the rows that belong to the row itself: \($0.existence)" } : nil
        throw condition.refusal(
            "reads \(table.description), \(deed)",
            hint: hint ?? "what is kept must not depend on what the run changes")
    }

    /// What `rule` and then the other `rules` write, whether or not they can run.
    static func all(
        by rule: RetentionRule, and rules: [RetentionRule], in connection: Connection
    ) throws -> [TableWrite] {
        // Of many rules that write the same, the first is told.
        var seen: Set<[String]> = []
        let others = rules.filter { $0.name != rule.name && seen.insert($0.writes).inserted }
        return try all(by: rule, isOwn: true, in: connection)
            + others.flatMap { try all(by: $0, isOwn: false, in: connection) }
    }

    private static func all(
        by rule: RetentionRule, isOwn: Bool, in connection: Connection
    ) throws -> [TableWrite] {
        let name = rule.name
        let table = try connection.relationIfAny(rule.table)
        let keys = try rule.action.isMark ? [] : table.map { try connection.cascades(from: $0) } ?? []
        func write(
            _ written: Relation?, _ deed: String, isDeletion: Bool = false, byKey: Bool = false
        ) throws -> TableWrite? {
            guard let written else { return nil }
            let tables = Set(try connection.partitionTree(of: written.oid))
            let acting = byKey ? keys.filter { tables.contains($0.child) } : []
            return TableWrite(
                tables: tables, deed: deed, isDeletion: isDeletion, isOwn: isOwn,
                dependents: table.flatMap { OwnDependents(of: $0, in: written, by: acting) })
        }
        let deletes = "of which rule \(name) deletes rows"
        var writes = [
            rule.action.isMark
                ? try write(table, "whose rows rule \(name) marks")
                : try write(table, deletes, isDeletion: true)
        ]
        for dependent in rule.dependents.sorted() {
            writes.append(
                try write(connection.relationIfAny(dependent), deletes, isDeletion: true, byKey: true))
        }
        if let tombstone = rule.tombstone {
            writes.append(
                try write(
                    connection.relationIfAny(tombstone.table), "where rule \(name) leaves tombstones"))
        }
        if let table, !rule.action.isMark {
            let keepers = Set(
                try rule.keptBy.compactMap { try connection.relationIfAny($0.table)?.oid })
            for key in keys
            where key.child != table.oid && !keepers.contains(key.child) {
                writes.append(
                    try write(
                        connection.relation(key.child),
                        "which changes with the rows of rule \(name) (a foreign key)", byKey: true))
            }
        }
        return writes.compactMap(\.self)
    }
}

extension OwnDependents {
    /// Nil unless `keys`, which are all that act on `table`, are one that deletes rows with those of `owner`, and equal
    /// values of its columns mean the same row to any comparison.
    fileprivate init?(of owner: Relation, in table: Relation, by keys: [ForeignKey]) {
        guard keys.count == 1, let key = keys.first, key.onDelete == .cascade, key.parent == owner.oid,
            key.child == table.oid, table.oid != owner.oid, owner.schema == table.schema
        else { return nil }
        let columns = zip(key.childColumns, key.parentColumns)
        let isSame = columns.allSatisfy { own, owners in
            let types = [table[own]?.baseType, owner[owners]?.baseType]
            return types[0] == types[1]
                || types.allSatisfy { ["smallint", "integer", "bigint"].contains($0) }
        }
        guard isSame else { return nil }
        self.init(of: owner.name, in: table.description, by: columns.map { ($0, $1) })
    }
}

extension RetentionRule {
    /// What decides what a rule writes.
    fileprivate var writes: [String] {
        [table, "\(action.isMark)", tombstone?.table ?? ""] + dependents.sorted() + [""]
            + keptBy.map(\.description).sorted()
    }
}

extension Connection {
    /// The table that a rule means by `name`, or nil if there is none.
    func relationIfAny(_ name: String) throws -> Relation? {
        do {
            return try relation(named: name)
        } catch is SchemaMismatch {
            return nil
        }
    }
}
