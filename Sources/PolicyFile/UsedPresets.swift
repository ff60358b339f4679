import Retention

/// The presets that the stores of a configuration use.
struct UsedPresets {
    /// The presets as files, over which all others lie.
    private(set) var layers: [ParsedFile] = []
    /// The presets, each once.
    private(set) var presets: [Preset] = []

    /// Reads the presets that `layers` name.
    init(of layers: [ParsedFile], from library: PresetLibrary) throws(PolicyFileError) {
        let reader = try TableReader<FileKey>(layers, at: [])
        var storeOfRule: [Name: Name] = [:]
        for (name, store) in try reader.tables(.store, of: StoreKey.self) {
            guard let text = try store.string(.preset) else {
                guard store.value(.prefix) == nil || store.value(.prefixes) != nil else {
                    throw store.error(.prefix, "belongs to a preset", hint: "name one: preset = \"...\"")
                }
                continue
            }
            let preset = try Self.preset(text, store, library)
            try Self.checkFormat(of: preset, store, library)
            let own = try store.prefix(.prefix, of: preset.format)
            guard own == nil || preset.prefix != nil else {
                throw store.error(
                    .prefix, "is not used by the preset \(preset.name)",
                    hint: "remove it: its tables have one name everywhere")
            }
            let many = try store.string(.prefixes)
            guard many == nil || preset.prefix != nil else {
                throw store.error(
                    .prefixes, "is not used by the preset \(preset.name)",
                    hint: "remove it: its tables have one name everywhere")
            }
            // The tables of a family get their prefixes when its stores are known.
            let layer = preset.layer(for: name, prefix: many == nil ? own ?? preset.prefix : nil)
            for rule in layer.below(FileKey.rule.rawValue)?.table.keys.compactMap(Name.init) ?? [] {
                if let other = storeOfRule.updateValue(name, forKey: rule) {
                    throw store.error(
                        .preset, "has a rule \(rule), and so has that of store \(other)",
                        hint: "give one of the two stores another name")
                }
            }
            self.layers.append(layer)
            if !presets.contains(where: { $0.file == preset.file }) { presets.append(preset) }
        }
        for (name, rule) in try reader.tables(.rule, of: RuleKey.self) {
            guard let store = storeOfRule[name], let other = try rule.string(.store),
                other != store.description
            else { continue }
            throw rule.error(
                .store, "is not \(store), whose preset has a rule of this name",
                hint: "give the rule another name, or remove this line to change the preset's")
        }
    }

    /// Throws if the preset is for another kind of store than the one that uses it.
    private static func checkFormat(
        of preset: Preset, _ store: TableReader<StoreKey>, _ library: PresetLibrary
    ) throws(PolicyFileError) {
        let (wanted, key) =
            try store.string(.url).map { (StoreFormat(ofURL: $0), StoreKey.url) } ?? (
                .sqlite, store.value(.paths) == nil ? .path : .paths
            )
        // With several or none of the keys, the store itself is the error.
        guard [StoreKey.path, .paths, .url].count(where: { store.value($0) != nil }) == 1,
            preset.format != wanted
        else {
            return
        }
        let fitting = try library.names().first { name in
            guard let other = try? library.preset(named: name) else { return false }
            return other.app == preset.app && other.format == wanted
        }
        throw store.error(
            .preset, beside: key,
            "is for a \(preset.format.rawValue) database, and the store has \(key.rawValue)",
            hint: fitting.map {
                "write preset = \"\($0)\", which is for \(preset.app) with \(wanted.rawValue)"
            }
                ?? "`pruned presets` lists the presets with their kinds")
    }

    private static func preset(
        _ text: String, _ store: TableReader<StoreKey>, _ library: PresetLibrary
    ) throws(PolicyFileError) -> Preset {
        if let name = Name(text), let preset = try library.preset(named: name) { return preset }
        let names = try library.names().map(\.description)
        throw store.error(
            .preset, "is not a preset",
            hint: (names.nearest(to: text).map { "did you mean \"\($0)\"? " } ?? "")
                + "`pruned presets` lists them")
    }
}
