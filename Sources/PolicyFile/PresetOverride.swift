import Retention

/// What a preset says of which rows go and how, and a file of the configuration says otherwise.
package struct PresetOverride: Equatable, Sendable {
    package let key: RuleKey
    /// What the preset says, as in its file.
    package let preset: String
    /// The short name of the file in force.
    package let file: String

    /// The keys that say which rows go and how. A person may choose the others freely.
    private static let keys: [RuleKey] = [
        .table, .ageColumn, .expiresColumn, .unit, .epoch, .columnZone, .where, .protect, .keptBy, .orphansOf,
        .keepLast,
        .keepLastPer, .action, .tombstone,
    ]

    /// What `layers` override of the presets among them.
    static func all(in layers: [ParsedFile]) -> [Name: [PresetOverride]] {
        layers.filter(\.isPreset).reduce(into: [:]) { overrides, preset in
            let rules = preset.value(at: [FileKey.rule.rawValue])?.table
            for name in rules?.keys.compactMap(Name.init) ?? [] {
                overrides[name] = keys.compactMap { PresetOverride(of: $0, of: name, preset, in: layers) }
            }
        }
    }

    /// Nil if the value in force is the preset's, or a list with all that the preset's has.
    private init?(of key: RuleKey, of rule: Name, _ preset: ParsedFile, in layers: [ParsedFile]) {
        let path = [FileKey.rule.rawValue, rule.description, key.rawValue]
        guard let origin = layers.origin(of: path), !origin.isPreset,
            let own = origin.value(at: path[...]), let value = preset.value(at: path[...])
        else { return nil }
        let (said, now) = (Self.parts(value), Self.parts(own))
        let keepsAll = value.array != nil || key == .protect || key == .keptBy
        guard keepsAll ? !said.isSubset(of: now) : said != now else { return nil }
        (self.key, self.preset, file) = (key, value.writtenInFull, origin.name)
    }

    private static func parts(_ value: TOMLValue) -> Set<String> {
        Set((value.array ?? [value]).map(\.writtenInFull))
    }

    /// The remark for a person who looks at the rule.
    package var remark: String {
        let whole = key == .protect ? "; to add to them, repeat them" : ""
        return
            "\(key.rawValue) in \(file) replaces the preset's, which is no longer in force: \(preset)\(whole)"
    }
}
