import Retention

/// The difference between two configurations: the files, and the values in force.
package struct ConfigurationChange: Equatable, Sendable {
    /// A table with changes.
    package struct Table: Equatable, Sendable {
        /// The table, such as `rule.items`; empty for the top level.
        package let name: String
        /// The table's rule; nil for another table.
        package let rule: Name?
        /// The changes, such as `keep was "183d", is "1d"`.
        package let explanation: String
    }

    /// The files that are new.
    package let added: [String]
    /// The files that are gone.
    package let removed: [String]
    /// The files with a different text.
    package let rewritten: [String]
    /// The tables with changes, sorted by name.
    package let tables: [Table]

    /// The changes from `old` to `new`.
    package init(from old: Configuration, to new: Configuration) {
        let (oldFiles, newFiles) = (old.files + old.presetFiles, new.files + new.presetFiles)
        added = newFiles.filter { old.texts[$0] == nil }
        removed = oldFiles.filter { new.texts[$0] == nil }
        rewritten = newFiles.filter { old.texts[$0] != nil && old.texts[$0] != new.texts[$0] }
        let rules = Dictionary(
            (old.policy.rules + new.policy.rules).map { (["rule", $0.name.description].dotted, $0.name) }
        ) { $1 }
        let (before, after) = (Self.values(old), Self.values(new))
        tables = Set(before.keys).union(after.keys).sorted().compactMap { name in
            Self.explanation(before[name], after[name]).map {
                Table(name: name, rule: rules[name], explanation: $0)
            }
        }
    }

    /// The changed files as text, such as `removed /etc/pruned/conf.d/50-longer.toml`; nil if there are none.
    package var filesExplanation: String? {
        let parts = [("new", added), ("changed", rewritten), ("removed", removed)]
            .filter { !$0.1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The values by table and key.
    private static func values(_ configuration: Configuration) -> [String: [String: String]] {
        Dictionary(grouping: configuration.settings, by: \.table).mapValues { settings in
            Dictionary(settings.map { ($0.key, $0.value) }) { $1 }
        }
    }

    private static func explanation(_ old: [String: String]?, _ new: [String: String]?) -> String? {
        guard let new else { return "is gone" }
        guard let old else { return "is new" }
        let keys = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        let changes = keys.map { key in
            "\(key) was \(old[key] ?? "not set"), is \(new[key] ?? "not set anymore")"
        }
        return changes.isEmpty ? nil : changes.joined(separator: "; ")
    }
}
