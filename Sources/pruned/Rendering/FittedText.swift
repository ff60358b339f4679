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
