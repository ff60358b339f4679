import TerminalText

/// A command line for a person to copy into a shell, broken into several lines if necessary. All but the last line end
/// in a backslash. Only a single word can make a line longer than `width`.
struct CommandLines {
    let command: String
    let width: Int

    var lines: [String] {
        var lines: [String] = []
        for word in words {
            // Two columns are reserved for the backslash.
            if let last = lines.last, last.columns + 1 + word.columns <= width - 2 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(lines.isEmpty ? word : Self.indent + word)
            }
        }
        return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
    }

    private static let indent = "    "

    /// The words. An option and its value count as one word if both fit on one line.
    private var words: [String] {
        var words: [String] = []
        for word in shellWords {
            if let last = words.last, last.hasPrefix("--"), !last.contains(" "), !word.hasPrefix("--"),
                Self.indent.columns + last.columns + 1 + word.columns <= width - 2
            {
                words[words.count - 1] = last + " " + word
            } else {
                words.append(word)
            }
        }
        return words
    }

    /// The words as the shell separates them, with their quotes.
    private var shellWords: [String] {
        var words = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in command {
            guard character != " " || isQuoted || isEscaped else {
                words.append("")
                continue
            }
            words[words.count - 1].append(character)
            if character == "'", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isQuoted && !isEscaped
        }
        return words.filter { !$0.isEmpty }
    }
}

extension String {
    /// The text in lines of at most `width` columns. A longer word is broken. A command is broken so that it can still
    /// be copied.
    func fitted(to width: Int) -> [String] {
        wrapped(to: width).flatMap { line in
            guard line.columns > width else { return [line] }
            let isCommand = line.contains("`") && line.contains(" ")
            let lines = isCommand ? CommandLines(command: line, width: width).lines : [line]
            return lines.flatMap { $0.pieces(ofColumns: width) }
        }
    }
}

extension TextStyle {
    /// The text in lines that are `indent` columns shorter than the width. A long word is broken only on a screen.
    func fitted(_ text: String, indent: Int = 0) -> [String] {
        isScreen ? text.fitted(to: width - indent) : text.wrapped(to: width - indent)
    }
}
