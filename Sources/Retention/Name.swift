/// The name of a rule or a store: at most 64 letters, digits, `.`, `_` and `-`. The first is a letter or a digit.
///
/// Names appear in log fields, file names and command lines. These characters need no quoting in any of them.
package struct Name: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name as written.
    package let description: String

    /// Nil when `text` is not a name.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, first.isLetterOrDigit, bytes.count <= 64,
            bytes.allSatisfy({ $0.isLetterOrDigit || ".-_".utf8.contains($0) })
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
