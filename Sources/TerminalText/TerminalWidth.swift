import Glibc

/// The width of terminals.
package enum TerminalWidth {
    /// The number of columns of the terminal that `descriptor` is, 80 when unknown; nil if it is no terminal.
    package static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}

extension String {
    /// The text after `label`, on one line, or on a terminal of `width` columns on several. The others begin where the
    /// text of the first does. Words, and so paths and commands, stay whole.
    package func labelled(_ label: String, width: Int?) -> String {
        guard let width else { return label + self }
        let margin = String(repeating: " ", count: label.columns)
        let lines = wrapped(to: max(1, width - label.columns))
        return lines.isEmpty ? label : label + lines.joined(separator: "\n" + margin)
    }
}
