import TerminalText

extension String {
    /// The text in lines of at most `width` columns. What is a single word and longer is broken; a command, so that it can
    /// still be copied.
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
    /// The text in lines that leave `indent` columns of the width. On a screen all do; else a long word stays whole.
    func fitted(_ text: String, indent: Int = 0) -> [String] {
        isScreen ? text.fitted(to: width - indent) : text.wrapped(to: width - indent)
    }
}
