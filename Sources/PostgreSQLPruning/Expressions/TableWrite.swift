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

    /// Throws a ``SchemaMismatch`` if the expression reads the table.
    func check(_ read: [Relation], of expression: ExpressionCheck) throws {
        guard let table = read.first(where: { tables.contains($0.oid) }) else { return }
        throw expression.refusal(
            "reads \(table.description), \(deed)",
            hint: isDeletion && !isOwn
                ? "name its column in kept_by: that rule then runs first"
                : "what is kept must not depend on what the run changes")
    }

    /// What `rule` and then the other `rules` write, whether or not they can run.
    static func all(
        by rule: RetentionRule, and rules: [RetentionRule], in connection: Connection
    ) throws -> [TableWrite] {
        try ([rule] + rules.filter { $0.name != rule.name }).flatMap {
            try all(by: $0, isOwn: $0.name == rule.name, in: connection)
        }
    }

    private static func all(
        by rule: RetentionRule, isOwn: Bool, in connection: Connection
    ) throws -> [TableWrite] {
        let name = rule.name
        func write(_ table: Relation?, _ deed: String, isDeletion: Bool = false) throws -> TableWrite? {
            guard let table else { return nil }
            return TableWrite(
                tables: Set(try connection.partitionTree(of: table.oid)), deed: deed, isDeletion: isDeletion,
                isOwn: isOwn)
        }
        let table = try connection.relationIfAny(rule.table)
        let deletes = "of which rule \(name) deletes rows"
        var writes = [
            rule.action.isMark
                ? try write(table, "whose rows rule \(name) marks")
                : try write(table, deletes, isDeletion: true)
        ]
        for dependent in rule.dependents.sorted() {
            writes.append(try write(connection.relationIfAny(dependent), deletes, isDeletion: true))
        }
        if let tombstone = rule.tombstone {
            writes.append(
                try write(
                    connection.relationIfAny(tombstone.table), "where rule \(name) leaves tombstones"))
        }
        if let table, !rule.action.isMark {
            let keepers = Set(
                try rule.keptBy.compactMap { try connection.relationIfAny($0.table)?.oid })
            for key in try connection.cascades(from: table)
            where key.child != table.oid && !keepers.contains(key.child) {
                writes.append(
                    try write(
                        connection.relation(key.child),
                        "which changes with the rows of rule \(name) (a foreign key)"))
            }
        }
        return writes.compactMap(\.self)
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
