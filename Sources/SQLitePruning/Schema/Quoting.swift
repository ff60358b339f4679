extension String {
    /// The text as an SQL identifier.
    ///
    /// Doubled scalar by scalar: a quotation mark with a combining character after it is another `Character`, but the
    /// same quotation mark to SQLite.
    var quotedIdentifier: String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// What SQLite compares when it looks for a name: the bytes, with ASCII letters in lower case.
    var comparedName: [UInt8] {
        utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension [String] {
    /// SQL terms joined by `word`, AND or OR. One after another, each would be a level deeper than the one before, and
    /// SQLite goes 1,000 levels deep; a table may have 2,000 columns.
    func balanced(_ word: String) -> String {
        guard count > 2 else { return joined(separator: " \(word) ") }
        let halves = [Array(prefix(count / 2)), Array(dropFirst(count / 2))]
        return halves.map { "(\($0.balanced(word)))" }.joined(separator: " \(word) ")
    }
}
