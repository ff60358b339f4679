import TerminalText

extension String {
    /// The text as a TOML string in double quotes.
    var quoted: String {
        let isSyntax = { (scalar: Unicode.Scalar) in scalar == "\"" || scalar == "\\" }
        let text = escaping({ isSyntax($0) || $0.isInvisible }) { isSyntax($0) ? "\\\($0)" : $0.tomlEscape }
        return "\"\(text)\""
    }

    /// The text as a TOML key: bare if possible, otherwise in quotes.
    var key: String {
        let isBare = !isEmpty && unicodeScalars.allSatisfy { $0.isBareKeyCharacter }
        return isBare ? self : quoted
    }

    /// The text with characters escaped that could break or disguise a line, cut to `limit` Unicode scalars.
    func printable(limit: Int) -> String {
        let scalars = escaping(\.isInvisible, as: \.tomlEscape).unicodeScalars
        return scalars.count > limit ? String(scalars.prefix(limit - 1)) + "…" : String(scalars)
    }
}

extension Unicode.Scalar {
    /// Whether a bare key may contain it.
    var isBareKeyCharacter: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}

extension [String] {
    /// The keys as a TOML key path.
    var dotted: String { map(\.key).joined(separator: ".") }
}
