import Retention

/// The layers of a configuration in which `{prefix}` and `{schema}` stand for what tells the stores of a family apart.
struct Placeholders: Sendable {
    private let layers: [ParsedFile]
    private let systemTimeZone: Zone
    /// The families by the tables of their stores and rules, such as `["rule", "freshrss-articles"]`.
    private let families: [[String]: Family]

    private struct Family {
        let name: Name
        let parts: StoreFamily
        let format: StoreFormat
        let placeholder: String
    }

    /// Throws if a rule of a family would be the same in all its stores.
    init(_ layers: [ParsedFile], _ systemTimeZone: Zone) throws(PolicyFileError) {
        (self.layers, self.systemTimeZone) = (layers, systemTimeZone)
        var families: [[String]: Family] = [:]
        let reader = try TableReader<FileKey>(layers, at: [])
        let stores = try reader.tables(.store, of: StoreKey.self)
        for (name, store) in stores where store.value(.prefixes) != nil || store.value(.schemas) != nil {
            guard let parts = try StoreFamily(store), let placeholder = parts.placeholder else { continue }
            let format = StoreFormat(ofURL: try store.string(.url) ?? "")
            let family = Family(name: name, parts: parts, format: format, placeholder: placeholder)
            families[["store", name.description]] = family
            for (rule, table) in try reader.tables(.rule, of: RuleKey.self) {
                let own = try table.string(.store)
                guard own == name.description || own == nil && stores.count == 1 else { continue }
                families[["rule", rule.description]] = family
                guard let text = try table.string(.table), !text.hasPrefix(placeholder) else { continue }
                throw table.error(
                    .table, "is one table for all stores of \(name)",
                    hint: "write table = \"\(placeholder)\(parts.separator)\(text)\"")
            }
        }
        self.families = families
    }

    /// The policy in which each family has the sample of one of its stores.
    func policy() throws(PolicyFileError) -> RetentionPolicy { try policy(of: nil, "") }

    /// The store of `family` that `text` tells apart, and its rules, by the names of the family. Nil if there can be none.
    func member(_ text: String, of family: StoreDefinition) -> (
        store: StoreDefinition, rules: [RetentionRule]
    )? {
        guard let whole = family.family?.pattern.with(text), TablePrefix(whole, of: family.format).isValid,
            let policy = try? policy(of: family.name, whole),
            let store = policy.stores.first(where: { $0.name == family.name })
        else { return nil }
        return (store, policy.rules.filter { $0.store == family.name })
    }

    private func policy(of family: Name?, _ text: String) throws(PolicyFileError) -> RetentionPolicy {
        let files = layers.map { layer in
            layer.mapped { kind, tables in
                tables.table.map { table in
                    .table(
                        table.mapped { name, value in
                            guard let own = families[[kind, name]] else { return value }
                            return TablePrefix(
                                own.name == family ? text : own.parts.sample, of: own.format,
                                for: own.placeholder
                            ).replaced(in: value, of: name)
                        })
                } ?? tables
            }
        }
        return try RetentionPolicy(TableReader<FileKey>(files, at: []), systemTimeZone: systemTimeZone)
    }
}

extension Placeholders: Equatable {
    /// Configurations are compared by their texts, of which these are made.
    static func == (a: Placeholders, b: Placeholders) -> Bool { true }
}

extension StoreFamily {
    /// What stands between the placeholder and the name of a table.
    fileprivate var separator: String { if case .schemas = self { "." } else { "" } }
}

extension ParsedFile {
    fileprivate func mapped(_ change: (String, TOMLValue) -> TOMLValue) -> ParsedFile {
        ParsedFile(table: table.mapped(change), file: file, name: name, isPreset: isPreset)
    }
}

extension TOMLTable {
    fileprivate func mapped(_ change: (String, TOMLValue) -> TOMLValue) -> TOMLTable {
        TOMLTable(lines.map { ($0.key, change($0.key, $0.value)) }, on: lineNumbers)
    }
}
