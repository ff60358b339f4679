/// The foreign keys and triggers that act when rows of a schema change.
struct FiredParts {
    struct Key: Hashable {
        /// The table that refers to the changed one.
        let child: String
        let key: StoreSchema.ForeignKey
    }

    struct Trigger: Hashable {
        let table: String
        let name: String
        let trigger: StoreSchema.Trigger
    }

    private(set) var keys: Set<Key> = []
    private(set) var triggers: Set<Trigger> = []
    /// The tables that those triggers name.
    private(set) var named: Set<String> = []
    /// The tables whose rows change.
    private(set) var changed: Set<String> = []

    /// Follows cascades, and what triggers may do: each table that a trigger's text names may change in any way. Of a
    /// trigger of which only a sum is known that is nothing.
    init(_ changes: [SchemaUse.Change], in schema: FoldedSchema, by names: SchemaNames) {
        var (waiting, seen): ([SchemaUse.Change], Set<SchemaUse.Change>) = ([], [])
        func add(_ table: String, _ event: SchemaUse.Event, _ columns: [String] = []) {
            let change = SchemaUse.Change(table: table, event: event, columns: columns)
            if seen.insert(change).inserted { waiting.append(change) }
        }
        for change in changes {
            add(names.comparedTable(change.table), change.event, change.columns.map(names.compared))
        }
        let words = schema.tables.keys.map { ($0, $0.schemaWord) }
        while let change = waiting.popLast() {
            guard let table = schema.tables[change.table] else { continue }
            changed.insert(change.table)
            for (name, trigger) in table.triggers where trigger.answers(change) {
                triggers.insert(Trigger(table: change.table, name: name, trigger: trigger))
                for (other, word) in words where trigger.words.contains(word) {
                    named.insert(other)
                    guard other != change.table else { continue }
                    add(other, .delete)
                    add(other, .insert)
                    add(other, .update)
                }
            }
            guard change.event == .delete else { continue }
            for (child, other) in schema.tables {
                for key in other.foreignKeys where key.parent == change.table {
                    keys.insert(Key(child: child, key: key))
                    switch key.onDelete {
                    case .cascade: add(child, .delete)
                    case .setNull, .setDefault: add(child, .update, key.columns)
                    case .none, .restrict: break
                    }
                }
            }
        }
    }
}
