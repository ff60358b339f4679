/// Texts from files, stores and the network, which may hold anything, on their way to a terminal, a log or a shell.
extension String {
    /// With everything escaped that could break a line, hide text, or make systemd refuse the whole.
    package var onOneLine: String { escaping(\.isObeyed) { $0.escaped(asASCII: true) } }

    /// Prose: line breaks and tabs become spaces, and what would have to be escaped goes.
    package var flattened: String {
        String(
            map { $0.isNewline || $0 == "\t" ? " " : $0 }
                .filter { !$0.unicodeScalars.contains(where: \.isObeyed) })
    }

    /// JSON with the same characters escaped, which leaves its meaning as it is. Its encoder has done so for ASCII.
    package var escapedAsJSON: String { escaping(\.isObeyed, as: \.jsonEscape) }

    /// As one word of a shell's command line. Scalar by scalar: a quotation mark with a combining character after it is
    /// another `Character`, but the same quotation mark to a shell.
    package var shellWord: String {
        guard isEmpty || !unicodeScalars.allSatisfy(\.isPlainToShells) else { return self }
        return "'" + escaping({ $0 == "'" }, as: { _ in "'\\''" }) + "'"
    }

    /// With those scalars that `isEscaped` names in another form.
    package func escaping(
        _ isEscaped: (Unicode.Scalar) -> Bool, as form: (Unicode.Scalar) -> String
    ) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if isEscaped(scalar) { text += form(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal or a log does something else with it than to show it: control characters (NUL would end a C
    /// string), line separators, marks that reverse the direction of writing, and what systemd does not take as UTF-8.
    package var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isNoncharacterCodePoint || properties.isBidiControl
        }
    }

    /// Whether it cannot be seen, or moves the text around it. Joiners within an emoji are among these.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .format, .privateUse, .unassigned: true
        default: isObeyed
        }
    }

    /// `\u202e`, in two of these beyond the first plane.
    package var jsonEscape: String {
        String(self).utf16.map { "\\u" + String($0, radix: 16).filled(to: 4) }.joined()
    }

    /// `\u202E`, or `\U000E0001` beyond the first plane.
    package var tomlEscape: String {
        let digits = String(value, radix: 16, uppercase: true)
        return value > 0xFFFF ? "\\U" + digits.filled(to: 8) : "\\u" + digits.filled(to: 4)
    }

    fileprivate var isPlainToShells: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "/", ".", "+", ",", ":", "@", "%": true
        default: false
        }
    }
}

extension String {
    fileprivate func filled(to width: Int) -> String {
        String(repeating: "0", count: max(0, width - count)) + self
    }
}
