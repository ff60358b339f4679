import Retention

/// The foreign keys and triggers of a schema that act when rows change.
struct FiredFacts: Equatable {
    struct Key: Hashable {
        /// The table that refers to the changed one.
        let child: String
        /// The tokens of the foreign key.
        let key: [String]
    }

    struct Trigger: Hashable {
        let table: String
        let name: String
        let words: [String]
    }

    private(set) var keys: Set<Key> = []
    private(set) var triggers: Set<Trigger> = []

    /// Follows cascades. What triggers do is in no catalog: ``ReachedCode`` refuses those that no preset names.
    init(_ changes: [SchemaUse.Change], in facts: CatalogFacts) {
        var (waiting, seen): ([SchemaUse.Change], Set<SchemaUse.Change>) = ([], [])
        func add(_ table: String, _ event: SchemaUse.Event) {
            let change = SchemaUse.Change(table: table, event: event)
            if seen.insert(change).inserted { waiting.append(change) }
        }
        for change in changes { add(change.table, change.event) }
        while let change = waiting.popLast() {
            guard let table = facts.tables.values.first(where: { $0.name.bareName == change.table.bareName })
            else { continue }
            for (name, words) in table.triggers
            where words.contains(change.event.rawValue) && !words.contains("disabled") {
                triggers.insert(Trigger(table: table.name, name: name, words: words))
            }
            guard change.event == .delete else { continue }
            for (child, other) in facts.tables {
                for key in other.foreignKeys where key.parent.bareName == table.name.bareName {
                    keys.insert(Key(child: child, key: key))
                    let text = key.joined(separator: " ")
                    if text.contains("on delete cascade") { add(child, .delete) }
                    if text.contains("on delete set") { add(child, .update) }
                }
            }
        }
    }
}

extension [String] {
    /// The table to which a foreign key of these tokens refers.
    fileprivate var parent: String {
        let rest = drop { $0 != "references" }.dropFirst().prefix { $0 != "(" }
        return rest.filter { $0 != "." }.map(\.unquoted).joined(separator: ".")
    }
}

extension String {
    /// The name of a table without the usual schema, which a rule may write or leave out.
    var bareName: String {
        let usual = Relation.usualSchema + "."
        return hasPrefix(usual) ? String(dropFirst(usual.count)) : self
    }

    /// A name as ``Swift/String/sqlName`` writes it, without its quotation marks.
    fileprivate var unquoted: String {
        hasPrefix("\"") ? String(dropFirst().dropLast()).replacing("\"\"", with: "\"") : self
    }
}
