/// The name of a rule or a store: at most 64 letters, digits, `.`, `_` and `-`. The first is a letter or a digit.
///
/// A store of a family has the family's name, a slash, and what tells it apart, as a URL has it: `freshrss/ada`,
/// `firefox/Profile%201`. So have its rules. Names appear in log fields and command lines, and none needs quoting there.
package struct Name: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name as written.
    package let description: String

    /// Nil when `text` is not a name.
    package init?(_ text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts[0].first, first.isLetterOrDigit, parts[0].count <= 64,
            parts[0].allSatisfy({ $0.isLetterOrDigit || ".-_".utf8.contains($0) }),
            parts.dropFirst().allSatisfy({ rest in
                (1...Self.longestMember + 65).contains(rest.count)
                    && rest.allSatisfy {
                        $0.isLetterOrDigit || Self.marks.utf8.contains($0) || $0 == UInt8(ascii: "%")
                    }
            })
        else { return nil }
        description = text
    }

    /// The name of the store of `family` that `text` tells apart. Nil if `text` is empty, cannot be printed, or is long.
    package init?(_ text: String, of family: Name) {
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator]
                .contains(scalar.properties.generalCategory) && scalar != "\u{FFFD}"
        }
        let encoded = text.utf8.map { byte in
            byte.isLetterOrDigit || Self.marks.utf8.contains(byte)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        guard isPrintable, family.family == nil, encoded.utf8.count <= Self.longestMember else { return nil }
        self.init("\(family)/\(encoded)")
    }

    /// The family of the store or rule with this name; nil if it is of none.
    package var family: Name? {
        description.firstIndex(of: "/").flatMap { Name(String(description[..<$0])) }
    }

    /// What a member's name may have beside letters, digits and `%`.
    private static let marks = ".-_@+"
    private static let longestMember = 128

    package static func < (a: Name, b: Name) -> Bool { a.description < b.description }
}

extension Name: ExpressibleByStringLiteral {
    /// A name from a literal in the source; traps if it is not valid.
    package init(stringLiteral value: StaticString) {
        guard let name = Name("\(value)") else {
            preconditionFailure("not a name: \(value)")  // a literal: the author sees it on the first run
        }
        self = name
    }
}

extension Name: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let name = Name(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a name")
        }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
