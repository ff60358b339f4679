/// A text with one `*`, which stands for what tells the stores of a family apart.
package struct FamilyPattern: Codable, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Nil unless there is exactly one `*`.
    package init?(_ text: String) {
        guard text.count(where: { $0 == "*" }) == 1 else { return nil }
        description = text
    }

    /// What comes before and after the `*`.
    package var parts: (begin: Substring, end: Substring) {
        let star = description.firstIndex(of: "*") ?? description.endIndex
        return (description[..<star], description[star...].dropFirst())
    }

    /// What `*` stands for in `text`; nil if that does not match, or the `*` stands for nothing.
    package func matched(in text: String) -> String? {
        let (begin, end) = parts
        guard text.utf8.count > begin.utf8.count + end.utf8.count, text.hasPrefix(begin), text.hasSuffix(end)
        else { return nil }
        return String(text.dropFirst(begin.count).dropLast(end.count))
    }

    /// The text in which `*` stands for `text`.
    package func with(_ text: String) -> String { parts.begin + text + parts.end }

    /// A path's directory above the `*`, the pattern of the names in it, and what comes below such a name.
    package var path: (directory: String, name: FamilyPattern?, below: [String]) {
        let (begin, end) = parts
        let head = begin.lastIndex(of: "/").map { begin[...$0] } ?? ""
        let tail = end.firstIndex(of: "/").map { end[$0...] } ?? ""
        let name = begin.dropFirst(head.count) + "*" + end.dropLast(tail.count)
        return (String(head), FamilyPattern(String(name)), tail.split(separator: "/").map(String.init))
    }
}

/// By what the stores of a family are told apart, where a definition stands for many.
package enum StoreFamily: Codable, Hashable, Sendable {
    /// The path of a file.
    case paths(FamilyPattern)
    /// The prefix of a database's tables.
    case prefixes(FamilyPattern)
    /// A schema of a database.
    case schemas(FamilyPattern)

    package var pattern: FamilyPattern {
        switch self {
        case .paths(let pattern), .prefixes(let pattern), .schemas(let pattern): pattern
        }
    }

    /// What the rules of the family write for what tells its stores apart; nil if that is not in them.
    package var placeholder: String? {
        switch self {
        case .paths: nil
        case .prefixes: "{prefix}"
        case .schemas: "{schema}"
        }
    }

    /// What the placeholder stands for while no store is meant.
    package var sample: String { pattern.with("x") }

    /// What tells stores apart among the names of tables, if `rules`, which have the sample, are theirs.
    package func members(among names: [String], by rules: [RetentionRule]) -> [String] {
        let endings = Set(
            rules.map(\.table).filter { $0.hasPrefix(sample) }.map { $0.dropFirst(sample.count) })
        let found = names.flatMap { name in
            endings.filter { name.hasSuffix($0) }.compactMap {
                pattern.matched(in: String(name.dropLast($0.count)))
            }
        }
        return Set(found).sorted()
    }
}

/// What was found for a family.
package struct FoundStores: Codable, Equatable, Sendable {
    /// What `*` stands for, sorted.
    package var members: [String] = []
    /// What matches and is no store, each with why.
    package var refused: [String] = []
    /// Why nothing could be looked for; nil if it was.
    package var failure: String?

    package init(members: [String] = [], refused: [String] = [], failure: String? = nil) {
        (self.members, self.refused, self.failure) = (members, refused, failure)
    }
}

extension StoreDefinition {
    /// The store of this family that `text` tells apart; nil if it cannot be named so.
    package func member(_ text: String) -> StoreDefinition? {
        guard let family, let name = Name(text, of: name) else { return nil }
        var member = self
        (member.name, member.family) = (name, nil)
        if case .paths(let pattern) = family { member.kind = .sqlite(path: pattern.with(text)) }
        return member
    }
}

extension RetentionRule {
    /// This rule of a family for one of its stores: of `freshrss-articles`, or `articles`, it is `freshrss/ada-articles`.
    package func member(of store: StoreDefinition) -> RetentionRule? {
        let prefix = "\(self.store)-"
        let own =
            name.description.hasPrefix(prefix)
            ? String(name.description.dropFirst(prefix.count)) : name.description
        guard let name = Name("\(store.name)-\(own)") else { return nil }
        var member = self
        (member.name, member.store) = (name, store.name)
        return member
    }
}
