import TerminalText

/// A command line for a person to copy into a shell, over as many lines as it takes: all but the last end in a
/// backslash. A line is longer than `width` only where a single word is.
struct CommandLines {
    let command: String
    let width: Int

    var lines: [String] {
        var lines: [String] = []
        for word in words {
            // Two columns stay for the backslash.
            if let last = lines.last, last.columns + 1 + word.columns <= width - 2 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(lines.isEmpty ? word : "    " + word)
            }
        }
        return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
    }

    /// The words, each option together with its value.
    private var words: [String] {
        var words: [String] = []
        var isQuoted = false
        for part in command.split(separator: " ", omittingEmptySubsequences: false) {
            if isQuoted, let last = words.popLast() {
                words.append(last + " " + part)
            } else if let last = words.last, last.hasPrefix("--"), !last.contains(" "), !part.hasPrefix("--")
            {
                words[words.count - 1] = last + " " + part
            } else {
                words.append(String(part))
            }
            if part.count(where: { $0 == "'" }) % 2 == 1 { isQuoted.toggle() }
        }
        return words
    }
}
