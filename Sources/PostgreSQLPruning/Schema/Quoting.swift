import TerminalText

/// Names and values as parts of SQL.
extension String {
    /// The text as an identifier.
    var quotedIdentifier: String { quoted("\"") }

    /// The text as an identifier, in quotes only where it needs them, as EXPLAIN writes it.
    var shortestIdentifier: String {
        let isPlain = utf8.allSatisfy {
            ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || $0 == UInt8(ascii: "_")
                || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
        }
        return isPlain ? self : quotedIdentifier
    }

    /// The text as a literal. Backslashes are nothing special: `standard_conforming_strings` is on.
    var quotedLiteral: String { quoted("'") }

    /// The texts of an array, as PostgreSQL writes them between braces; nil for NULL.
    static func arrayLiteral(_ texts: [String?]) -> String {
        let written = texts.map { text in
            text.map { "\"" + $0.escapingMarks + "\"" } ?? "NULL"
        }
        return "{" + written.joined(separator: ",") + "}"
    }
}
