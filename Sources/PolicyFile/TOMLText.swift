extension String {
    /// The text as a TOML string in double quotes.
    var quoted: String {
        let escaped = unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0.printable }
        return "\"\(escaped.joined())\""
    }

    /// The text as a TOML key: bare where the format allows it, else in quotes.
    var key: String {
        let isBare = !isEmpty && unicodeScalars.allSatisfy { $0.isBareKeyCharacter }
        return isBare ? self : quoted
    }

    /// The text without characters that could break or disguise a line, cut to `limit` Unicode scalars.
    func printable(limit: Int) -> String {
        let scalars = unicodeScalars.map(\.printable).joined().unicodeScalars
        return scalars.count > limit ? String(scalars.prefix(limit - 1)) + "…" : String(scalars)
    }
}

extension Unicode.Scalar {
    /// The scalar itself, or the TOML escape of one that cannot be seen or that moves the text around it.
    fileprivate var printable: String {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
            let digits = String(value, radix: 16, uppercase: true)
            let width = value > 0xFFFF ? 8 : 4
            return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.count) + digits
        default:
            return String(self)
        }
    }

    /// Whether a key may have it without quotes.
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
