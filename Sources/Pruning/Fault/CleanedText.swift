import TerminalText

extension Explained {
    /// The error as it may be shown, whoever wrote it.
    package var cleaned: Self {
        Explained(
            kind, operation: operation.cleaned, place: place.cleaned, cause: cause.cleaned,
            hint: hint.map { hint in
                let lines = hint.prefix(4_000).split(separator: "\n").map { String($0).cleaned }
                return String(lines.joined(separator: "\n").prefix(4_000))
            },
            setting: setting)
    }
}

extension String {
    /// The text on one line, without control characters, cut where nobody reads on.
    var cleaned: String { String(onOneLine.prefix(4_000)) }
}
