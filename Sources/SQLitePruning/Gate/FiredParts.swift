import Retention

/// The foreign keys and triggers that act when rows of a schema change.
struct FiredParts: Equatable {
    struct Key: Hashable {
        /// The table that refers to the changed one.
        let child: String
        let key: SchemaFacts.ForeignKey
    }

    struct Trigger: Hashable {
        let table: String
        let name: String
        let trigger: SchemaFacts.Trigger
    }

    private(set) var keys: Set<Key> = []
    private(set) var triggers: Set<Trigger> = []

    /// Follows cascades, and what triggers may do: each table that a trigger's text names may change in any way.
    init(_ changes: [SchemaUse.Change], in facts: SchemaFacts) {
        var (waiting, seen): ([SchemaUse.Change], Set<SchemaUse.Change>) = ([], [])
        func add(_ table: String, _ event: SchemaUse.Event, _ columns: [String] = []) {
            let change = SchemaUse.Change(table: table, event: event, columns: columns)
            if seen.insert(change).inserted { waiting.append(change) }
        }
        for change in changes { add(change.table.gateName, change.event, change.columns.map(\.gateName)) }
        while let change = waiting.popLast() {
            guard let table = facts.tables[change.table] else { continue }
            for (name, trigger) in table.triggers where trigger.answers(change) {
                triggers.insert(Trigger(table: change.table, name: name, trigger: trigger))
                for named in trigger.sql where named != change.table && facts.tables[named] != nil {
                    add(named, .delete)
                    add(named, .insert)
                    add(named, .update)
                }
            }
            guard change.event == .delete else { continue }
            for (child, other) in facts.tables {
                for key in other.foreignKeys where key.parent == change.table {
                    keys.insert(Key(child: child, key: key))
                    switch key.onDelete {
                    case "CASCADE": add(child, .delete)
                    case "SET NULL", "SET DEFAULT": add(child, .update, key.columns)
                    default: break
                    }
                }
            }
        }
    }

    /// The tables that the triggers name.
    func names(_ table: String) -> Bool { triggers.contains { $0.trigger.sql.contains(table) } }
}

extension SchemaFacts.Trigger {
    fileprivate func answers(_ change: SchemaUse.Change) -> Bool {
        guard event == change.event else { return false }
        return columns.isEmpty || change.columns.isEmpty || !Set(columns).isDisjoint(with: change.columns)
    }
}
