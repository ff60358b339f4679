/// How a kind of store compares the names in its schema.
package struct SchemaNames: Equatable, Sendable {
    /// Whether a letter of ASCII is the same as its capital.
    package let ignoresCase: Bool
    /// The schema whose name may stand before that of a table, or be left out.
    package let usualSchema: String?

    package init(ignoresCase: Bool, usualSchema: String? = nil) {
        (self.ignoresCase, self.usualSchema) = (ignoresCase, usualSchema)
    }

    /// The name in the form in which two are compared.
    package func compared(_ name: String) -> String { ignoresCase ? name.lowercasedASCII : name }

    /// The same for the name of a table.
    func comparedTable(_ name: String) -> String {
        let usual = usualSchema.map { $0 + "." } ?? ""
        return compared(name.hasPrefix(usual) ? String(name.dropFirst(usual.count)) : name)
    }

    /// The same for words of a definition, whose texts keep their capitals.
    func compared(_ words: [String]) -> [String] {
        words.map { $0.hasPrefix("'") ? $0 : compared($0) }
    }

    /// The names in a statement's settings and conditions. Some may be names of other things; then more is compared.
    ///
    /// A condition that cannot be read is no reason here: the rule itself fails by it.
    func all(in use: SchemaUse) -> Set<String> {
        let words = use.conditions.flatMap { (try? SchemaWords.all(ofSQL: $0)) ?? [] }
        let named = words.filter(SchemaWords.isName).map(SchemaWords.name)
        return Set(use.names.map(comparedTable) + named.map(compared))
    }
}
