import TerminalText

/// Names and values as parts of SQL.
extension String {
    /// The text as an identifier.
    var quotedIdentifier: String { quoted("\"") }

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
