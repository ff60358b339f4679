extension String {
    /// The text on one line, and without what a terminal would obey: for texts from the network, which may hold anything.
    ///
    /// Line breaks and tabs become spaces; control characters, and marks that reverse the direction of writing, go.
    var onOneLine: String {
        String(
            map { $0.isNewline || $0 == "\t" ? " " : $0 }
                .filter { character in !character.unicodeScalars.contains(where: \.isObeyed) })
    }

    /// JSON with the same characters escaped, which leaves its meaning as it is. Its encoder has done so for ASCII.
    var escapedAsJSON: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.isObeyed else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal does something else with it than to show it.
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
