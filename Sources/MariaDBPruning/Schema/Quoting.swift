import TerminalText

/// Names and values as parts of SQL, in the modes that ``Connection`` sets.
extension String {
    /// The text as an identifier.
    var quotedIdentifier: String { quoted("\"") }

    /// The same in any mode of the server.
    var inBackticks: String { quoted("`") }

    /// The text as a literal. Backslashes are nothing special.
    var quotedLiteral: String { quoted("'") }
}
