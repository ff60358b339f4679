import Glibc
import Retention

/// The combined content of the configuration files.
package struct Configuration: Equatable, Sendable {
    /// The policy: what to delete, and where.
    package internal(set) var policy: RetentionPolicy
    /// The policy as written, in which a family stands for its stores.
    package private(set) var template: RetentionPolicy
    /// What was found for the families.
    package internal(set) var found: [Name: FoundStores] = [:]
    /// The absolute path of the metrics file; nil for none.
    package let metricsFile: String?
    /// The files, each overriding those before it.
    package let files: [String]
    /// Whether the stores and rules are those of the built-in policy, which the files may change. They are as long as
    /// the main file has no stores and rules and no file configures a store of its own.
    package private(set) var isBuiltIn: Bool
    /// Every value in force, and its origin.
    package let settings: [Setting]
    /// For a rule with different tables in several files: these files, in order. The last one is in force, but two
    /// rules may be meant. Other rules have no entry.
    package let filesAtOdds: [Name: [String]]
    /// What other files override of the rules of presets. Rules of no preset have no entry.
    package let presetOverrides: [Name: [PresetOverride]]
    /// The preset files that stores use. All other files override them.
    package let presetFiles: [String]
    /// The texts of ``files`` and ``presetFiles``, by path.
    let texts: [String: String]
    /// What the families' names of tables are made of; nothing in a rendered policy.
    let placeholders: Placeholders
    /// Where the settings stand, for errors that show when a rule meets its store.
    package internal(set) var origins: SettingOrigins

    /// The configuration from `sources`, each overriding those before it, and all of them the presets that they name.
    /// Without `library`, no preset is looked for. `base` is the built-in policy, if it may apply; `main` is the file
    /// whose stores and rules would replace it.
    init(
        over base: ParsedFile? = nil, main: String? = nil, _ sources: [SourceText],
        library: PresetLibrary? = PresetLibrary(directories: []), systemTimeZone: Zone
    ) throws(PolicyFileError) {
        var layers: [ParsedFile] = []
        for source in sources { layers.append(try source.parsed()) }
        if let base {
            isBuiltIn = !layers.contains { $0.replaces(base, isMain: $0.file == main) }
            if isBuiltIn { layers.insert(base, at: 0) }
        } else {
            isBuiltIn = false
        }
        let used = try library.map { library throws(PolicyFileError) in
            try UsedPresets(of: layers, from: library)
        }
        layers = (used?.layers ?? []) + layers
        if let base, !isBuiltIn { try layers.refuseChanges(of: base) }
        let reader = try TableReader<FileKey>(layers, at: [])
        if base == nil || !sources.isEmpty { try reader.refuseMembers() }
        let placeholders = try Placeholders(layers, systemTimeZone)
        self.placeholders = placeholders
        template = try placeholders.policy()
        policy = template.withMembers([])
        metricsFile = try Self.metricsFile(reader)
        files = sources.map(\.file)
        let presets = used?.presets ?? []
        presetFiles = presets.map(\.file)
        texts = Dictionary(sources.map { ($0.file, $0.text) } + presets.map { ($0.file, $0.text) }) { $1 }
        origins = SettingOrigins(layers)
        settings = Setting.all(of: template, metricsFile: metricsFile, in: layers)
        presetOverrides = PresetOverride.all(in: layers)
        filesAtOdds = Self.filesAtOdds(template.rules.map(\.name), layers)
        try refuseRuleTwins(reader)
    }

    private static func filesAtOdds(_ rules: [Name], _ layers: [ParsedFile]) -> [Name: [String]] {
        rules.reduce(into: [:]) { odds, rule in
            let path = ["rule", rule.description, RuleKey.table.rawValue]
            let tables = layers.compactMap { layer in
                layer.value(at: path[...])?.string.map { (file: layer.name, name: $0.lowercased()) }
            }
            if Set(tables.map(\.name)).count > 1 { odds[rule] = tables.map(\.file) }
        }
    }

    /// The configuration from `text` and the presets that it names; errors name it `file`.
    package init(
        _ text: String, file: String, library: PresetLibrary = PresetLibrary(directories: []),
        systemTimeZone: Zone
    ) throws(PolicyFileError) {
        try self.init(
            [SourceText(text: text, file: file, name: file)], library: library, systemTimeZone: systemTimeZone
        )
    }

    /// The configuration from a text that ``PolicyFile/render(_:systemTimeZone:reload:)`` made. It has no files.
    package init(rendered text: String, systemTimeZone: Zone) throws(PolicyFileError) {
        let source = SourceText(text: text, file: "the policy in force", name: "in force")
        try self.init(over: source.parsed(), [], library: nil, systemTimeZone: systemTimeZone)
        isBuiltIn = false
    }

    /// This rendered configuration, with the passwords that `other` has for the same stores.
    package func knowingSecrets(of other: Configuration) -> Configuration {
        var configuration = self
        configuration.policy = policy.knowingSecrets(of: other.policy)
        configuration.template = template.knowingSecrets(of: other.policy)
        return configuration
    }

    private static func metricsFile(_ reader: TableReader<FileKey>) throws(PolicyFileError) -> String? {
        guard let path = try reader.string(.metricsFile) else { return nil }
        let example = "write a path such as \"/var/lib/prometheus/node-exporter/pruned.prom\""
        guard path.hasPrefix("/") else {
            throw reader.error(.metricsFile, "is not an absolute path", hint: example)
        }
        guard path.hasSuffix(".prom") else {
            throw reader.error(
                .metricsFile, "does not end in .prom", hint: "node_exporter reads no others; \(example)")
        }
        return path
    }
}
