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
    /// The text on one line, without control characters. What nobody reads is left out in the middle: the end may say why.
    var cleaned: String {
        let text = String(prefix(1 << 16)).onOneLine
        return text.count <= 4_000 ? text : text.prefix(2_000) + " [...] " + text.suffix(1_990)
    }
}
