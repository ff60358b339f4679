import Retention

extension Preset {
    /// The prefixes, other than the preset's own, with which tables among `names` would be tables of its rules, sorted.
    /// `rules` are the preset's rules with its own prefix. Empty if the preset has no prefix.
    package func otherPrefixes(of names: [String], for rules: [RetentionRule]) -> [String] {
        guard let prefix else { return [] }
        let endings = Set(
            rules.map(\.table).filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) })
        let found = names.flatMap { name in
            endings.filter { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
        }
        return Set(found).filter { $0 != prefix && TablePrefix($0, of: format).isValid }.sorted()
    }
}
