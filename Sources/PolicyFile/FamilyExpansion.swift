import Retention

extension Configuration {
    /// The stores that stand for many.
    package var families: [StoreDefinition] { template.stores.filter { $0.family != nil } }

    /// This configuration with a store for each that was found for its families.
    package func expanded(by found: [Name: FoundStores]) -> Configuration {
        var configuration = self
        configuration.found = [:]
        configuration.origins.families = [:]
        var members: [(store: StoreDefinition, rules: [RetentionRule])] = []
        for family in families {
            let rules = template.rules.filter { $0.store == family.name }
            var left = found[family.name] ?? FoundStores()
            left.members = []
            for text in found[family.name]?.members ?? [] {
                let own =
                    family.family?.placeholder == nil
                    ? (store: family, rules: rules) : placeholders.member(text, of: family)
                guard let own, let store = own.store.member(text) else {
                    left.refused.append("\(text.debugDescription) cannot be the name of a store")
                    continue
                }
                left.members.append(text)
                members.append((store, own.rules.compactMap { $0.member(of: store) }))
                configuration.origins.families[["store", store.name.description]] = [
                    "store", family.name.description,
                ]
                for rule in rules {
                    guard let member = rule.member(of: store) else { continue }
                    configuration.origins.families[["rule", member.name.description]] = [
                        "rule", rule.name.description,
                    ]
                }
            }
            configuration.found[family.name] = left
        }
        configuration.policy = template.withMembers(members)
        return configuration
    }

    /// The rule's name where the files speak of it.
    package func writtenName(of rule: Name) -> Name {
        origins.families[["rule", rule.description]].flatMap { Name($0[1]) } ?? rule
    }

    /// Throws if two rules of a family would have one name in each of its stores.
    func refuseRuleTwins(_ reader: TableReader<FileKey>) throws(PolicyFileError) {
        for family in families {
            guard let store = family.member("x") else { continue }
            var names: [Name: Name] = [:]
            for rule in template.rules where rule.store == family.name {
                guard let name = rule.member(of: store)?.name,
                    let twin = names.updateValue(rule.name, forKey: name)
                else { continue }
                throw reader.error(
                    at: [["rule", rule.name.description], ["rule", twin.description]],
                    "the rules \(twin) and \(rule.name) would have one name in a store of \(family.name)",
                    hint:
                        "rename one of them; both would be \(family.name)/…-\(name.description.dropFirst(store.name.description.count + 1))"
                )
            }
        }
    }
}

extension TableReader<FileKey> {
    /// Throws if a file names a store of a family, or a rule on it.
    func refuseMembers() throws(PolicyFileError) {
        let named =
            try tables(.store, of: StoreKey.self).map { ("store", $0.name) }
            + tables(.rule, of: RuleKey.self).map { ("rule", $0.name) }
        guard let (kind, name) = named.first(where: { $1.family != nil }), let family = name.family else {
            return
        }
        throw error(
            at: [[kind, name.description]],
            "\(kind).\(name.description.key): is a name that a store of a family has",
            hint:
                "[\(kind).NAME] of the family \(family) speaks for all; else use letters, digits, \".\", \"_\" and \"-\""
        )
    }
}
