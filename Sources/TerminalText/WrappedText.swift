extension String {
    /// The text in lines of at most `width` columns, unless a word is longer. A command between backquotes counts as
    /// one word, so that it can be copied.
    package func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.columns + 1 + word.columns <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    private var words: [String] {
        var words: [String] = []
        var isQuoted = false
        for part in split(separator: " ", omittingEmptySubsequences: false) where isQuoted || !part.isEmpty {
            if isQuoted, let last = words.popLast() {
                words.append(last + " " + part)
            } else {
                words.append(String(part))
            }
            if part.count(where: { $0 == "`" }) % 2 == 1 { isQuoted.toggle() }
        }
        return words
    }
}
