/// Prepares text from files, stores and the network, which may contain anything, for a terminal, a log or a shell.
extension String {
    /// The text with all characters escaped that could break the line, hide text, or make systemd reject it.
    package var onOneLine: String { escaping(\.isObeyed) { $0.escaped(asASCII: true) } }

    /// The text as prose: line breaks and tabs become spaces, and characters that would need an escape are removed.
    package var flattened: String {
        String(
            map { $0.isNewline || $0 == "\t" ? " " : $0 }
                .filter { !$0.unicodeScalars.contains(where: \.isObeyed) })
    }

    /// JSON text with the same characters escaped, which does not change its meaning. The encoder has already escaped
    /// those in ASCII.
    package var escapedAsJSON: String { escaping(\.isObeyed, as: \.jsonEscape) }

    /// The text as one word of a shell command. It works scalar by scalar: a quotation mark with a combining character
    /// is a different `Character`, but the same quotation mark to a shell.
    package var shellWord: String {
        guard isEmpty || !unicodeScalars.allSatisfy(\.isPlainToShells) else { return self }
        return "'" + escaping({ $0 == "'" }, as: { _ in "'\\''" }) + "'"
    }

    /// The text with a backslash before each quotation mark and backslash.
    package var escapingMarks: String { escaping({ $0 == "\"" || $0 == "\\" }, as: { "\\\($0)" }) }

    /// The text between two of these marks, as SQL has it: each that is within stands twice.
    package func quoted(_ mark: Unicode.Scalar) -> String {
        "\(mark)" + escaping({ $0 == mark }, as: { "\($0)\($0)" }) + "\(mark)"
    }

    /// The text with each scalar for which `isEscaped` is true replaced by its `form`.
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
    /// Whether a terminal or a log does more than to show the scalar: control characters (NUL would end a C string),
    /// line separators, marks that reverse the writing direction, and scalars that systemd rejects in UTF-8.
    package var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isNoncharacterCodePoint || properties.isBidiControl
        }
    }

    /// Whether the scalar is invisible or moves the text around it. This includes joiners within an emoji.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .format, .privateUse, .unassigned: true
        default: isObeyed
        }
    }

    /// For example `\u202e`; two such escapes beyond the first plane.
    package var jsonEscape: String {
        String(self).utf16.map { "\\u" + String($0, radix: 16).filled(to: 4) }.joined()
    }

    /// For example `\u202E`, or `\U000E0001` beyond the first plane.
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
