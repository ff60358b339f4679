import Retention

/// For which store a configuration is to be proposed, and what is known beside it.
package struct SuggestionJob: Codable, Sendable {
    package let kind: StoreDefinition.Kind
    /// The policy's name for this store; nil if it does not have it.
    package let name: Name?
    /// The names that the policy uses already.
    package let stores, rules: Set<Name>
    package let presets: [PresetText]
    /// Where these were looked for, as text for people.
    package let presetPlaces: String

    /// A preset as its file has it.
    package struct PresetText: Codable, Sendable {
        package let name: Name
        package let file: String
        package let text: String

        package init(_ name: Name, file: String, text: String) {
            (self.name, self.file, self.text) = (name, file, text)
        }
    }

    /// `known` is the policy that the rules would be added to; nil if there is none that can be read.
    package init(
        _ kind: StoreDefinition.Kind, known: RetentionPolicy?, presets: [PresetText], presetPlaces: String
    ) {
        self.kind = kind
        name = known?.stores.first { $0.kind == kind }?.name
        stores = Set(known?.stores.map(\.name) ?? [])
        rules = Set(known?.rules.map(\.name) ?? [])
        (self.presets, self.presetPlaces) = (presets, presetPlaces)
    }
}
