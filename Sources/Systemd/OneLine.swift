extension String {
    /// The text with everything escaped that could break a line, hide text, or make systemd refuse the whole:
    /// control characters (NUL would end a C string), line separators, marks that reverse the direction of
    /// writing, and the code points that systemd does not accept as UTF-8.
    package var onOneLine: String {
        guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
        return unicodeScalars.reduce(into: "") { line, scalar in
            if scalar.mustBeEscaped {
                line += scalar.escaped(asASCII: true)
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
    }

    /// The longest beginning that has at most `limit` bytes in UTF-8, ending in "…" when something was cut off.
    func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let ellipsis = "…"
        var beginning = unicodeScalars[...]
        var length = utf8.count
        while length > limit - ellipsis.utf8.count, let last = beginning.popLast() {
            length -= UTF8.width(last)
        }
        return String(beginning) + ellipsis
    }
}

extension Unicode.Scalar {
    fileprivate var mustBeEscaped: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isNoncharacterCodePoint || properties.isBidiControl
        }
    }
}
