import Retention

extension SettingOrigins {
    /// The origins in `layers`, each overriding those before it.
    init(_ layers: [ParsedFile]) {
        let presets = Set(layers.filter(\.isPreset).map(\.file))
        var origins: [[String]: SettingOrigin] = [:]
        for layer in layers {
            // A table is said to be in the first file that is no preset: the others only change some of its keys.
            layer.add(to: &origins, below: []) { presets.contains($0.file) }
        }
        self.init(origins)
    }
}

extension ParsedFile {
    /// Adds the origins of the keys of this table, which is at `path`: those of values always, and those of tables
    /// where there is none, or one that `isWeak`.
    fileprivate func add(
        to origins: inout [[String]: SettingOrigin], below path: [String], isWeak: (SettingOrigin) -> Bool
    ) {
        for key in table.keys {
            let path = path + [key]
            let inner = below(key)
            if inner == nil || origins[path].map(isWeak) ?? true {
                origins[path] = SettingOrigin(file: file, line: table.lineNumbers[key])
            }
            inner?.add(to: &origins, below: path, isWeak: isWeak)
        }
    }
}
