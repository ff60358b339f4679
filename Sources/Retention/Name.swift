/// The name of a rule or a store: at most 64 letters, digits, `.`, `_` and `-`. The first is a letter or a digit.
///
/// Names appear in log fields, file names and command lines. These characters need no quoting in any of them.
package struct Name: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name as written.
    package let description: String

    /// Nil when `text` is not a name.
    package init?(_ text: String) {
        let isLetterOrDigit: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let first = text.first, isLetterOrDigit(first), text.count <= 64,
            text.allSatisfy({ isLetterOrDigit($0) || ".-_".contains($0) })
        else { return nil }
        description = text
    }

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
