import Retention

/// The presets that the stores of a configuration use.
struct UsedPresets {
    /// The presets as files, over which all others lie.
    private(set) var layers: [ParsedFile] = []
    /// The presets, each once.
    private(set) var presets: [Preset] = []

    /// Reads the presets that `layers` name.
    init(of layers: [ParsedFile], from library: PresetLibrary) throws(PolicyFileError) {
        let stores = try TableReader<FileKey>(layers, at: []).tables(.store, of: StoreKey.self)
        for (name, store) in stores {
            let own = try store.prefix(.prefix)
            guard let text = try store.string(.preset) else {
                guard own == nil else {
                    throw store.error(.prefix, "belongs to a preset", hint: "name one: preset = \"...\"")
                }
                continue
            }
            let preset = try Self.preset(text, store, library)
            guard own == nil || preset.prefix != nil else {
                throw store.error(
                    .prefix, "is not used by the preset \(preset.name)",
                    hint: "remove it: its tables have one name everywhere")
            }
            self.layers.append(preset.layer(for: name, prefix: own ?? preset.prefix))
            if !presets.contains(where: { $0.file == preset.file }) { presets.append(preset) }
        }
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
