import Pruning
import Retention

/// What a deletion may change besides the rule's own rows.
extension Binding {
    /// Whether the foreign key acts on nothing: `kept_by` names its very column, so a row to which rows refer by it stays.
    package func isKept(_ key: ForeignKey) -> Bool {
        key.refers(toKeyOf: table)
            && keepers.contains { $0.table.name == key.child && [$0.column.name] == key.childColumns }
    }

    /// Throws a ``SchemaMismatch`` if the deletion would change rows of other tables that the rule does not declare.
    /// `triggered` are the tables that triggers change which may fire.
    package func checkReach(_ catalog: Catalog, triggered: Set<TableName> = []) throws {
        let declared = rule.dependents.sorted().map { name in
            (written: name, table: catalog.tableIfAny(named: name, beside: table.name)?.name)
        }
        guard !declared.contains(where: { $0.table == table.name }) else {
            throw SchemaMismatch(
                "deleting rows of \(table.name) would also delete other rows of \(table.name) (a foreign key), expired or not",
                hint: "remove \(table.name) from dependents: its rows that refer to others of it go first")
        }
        var reached = triggered
        for key in cascades where !isKept(key) {
            if key.isDeclared, !key.cascades {
                reached.insert(key.child)
                continue
            }
            guard key.child != table.name else {
                throw SchemaMismatch(
                    "deleting rows of \(table.name) would also \(key.verb) other rows of \(table.name) (a foreign key),"
                        + " expired or not",
                    hint:
                        "its rows go with those of another table that refers to it: leave such a table to its app"
                )
            }
            guard key.cascades, declared.contains(where: { $0.table == key.child }) else {
                throw SchemaMismatch(
                    "deleting rows of \(table.name) would also \(key.verb) rows of \(key.child) (a foreign key), which the rule"
                        + " does not declare",
                    hint: hint(key))
            }
            reached.insert(key.child)
        }
        if let keeper = keepers.first(where: { keeper in
            reached.contains { catalog.overlaps($0, keeper.table.name) }
        }) {
            throw BoundKeeper.deleted(keeper.table.name)
        }
        let keeping = Set(keepers.map(\.table.name))
        if let both = declared.first(where: { $0.table.map(keeping.contains) ?? false }) {
            throw SchemaMismatch(
                "\(both.written) is named by dependents and by kept_by, so none of its rows is ever deleted",
                hint: "remove it from dependents", keys: [RuleKey.dependents.rawValue])
        }
        if let stranger = declared.first(where: { $0.table.map { !reached.contains($0) } ?? true }) {
            throw SchemaMismatch(
                "rows of \(stranger.written) would not be deleted with rows of \(table.name)",
                hint: "a dependent needs a foreign key with ON DELETE CASCADE",
                keys: [RuleKey.dependents.rawValue])
        }
        if let tombstone, reached.contains(where: { catalog.overlaps($0, tombstone.table.name) }) {
            throw SchemaMismatch(
                "deleting rows of \(table.name) also deletes rows of \(tombstone.table.name), where tombstones would be",
                hint: "tombstones must stay when the row goes; name another table",
                keys: [RuleKey.tombstone.rawValue])
        }
    }

    /// What a person can write so that a foreign key may act on deletions, or never does.
    private func hint(_ key: ForeignKey) -> String {
        let keys = cascades.filter { $0.child == key.child && $0.parent == table.name }
        let keepers = keys.filter { $0.refers(toKeyOf: table) }
            .map { ColumnReference(table: key.child.description, column: $0.childColumns[0]) }
        let canKeep = !keys.isEmpty && keepers.count == keys.count && keepers.allSatisfy(\.isWritable)
        let named = (rule.keptBy + keepers).map(\.description.inQuotes)
        let keptBy = "kept_by = " + (named.count == 1 ? named[0] : "[\(named.joined(separator: ", "))]")
        let declared = (rule.dependents.sorted() + [key.child.description]).map(\.inQuotes)
        let dependents =
            "if those rows belong to them, write dependents = [\(declared.joined(separator: ", "))]"
        let reference = ColumnReference(
            table: key.child.description, column: key.childColumns.first ?? "")
        let canDetach = key.onDelete == .setNull && key.refers(toKeyOf: table) && reference.isWritable
        let detach =
            "if they may lose it, detach = [\((rule.detach + [reference]).map(\.description.inQuotes).joined(separator: ", "))]"
        return switch (key.cascades, canKeep) {
        case (true, true): dependents + "; if they keep them, \(keptBy)"
        case (true, false): dependents
        case (false, true):
            "rows that are referred to can stay: \(keptBy)" + (canDetach ? "; \(detach)" : "")
        case (false, false):
            "a rule may not change the rows that refer to its own, and kept_by cannot name this key: leave such a"
                + " table to its app"
        }
    }
}

extension ForeignKey {
    /// What it does with the rows that refer to a deleted one.
    fileprivate var verb: String { cascades ? "delete" : "update" }
}
