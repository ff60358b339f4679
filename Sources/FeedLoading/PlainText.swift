/// Converts titles to plain text on one line.
enum PlainText {
    /// Replaces each run of white space and control characters with one space, and trims the ends.
    static func oneLine(_ text: String) -> String {
        text.unicodeScalars
            .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
            .map(String.init).joined(separator: " ")
    }

    /// The text of an HTML title on one line: without tags and comments, with character references replaced.
    ///
    /// This is not a full HTML parser. It recognises only tags that HTML uses within text, so that `Vec<T>` is not
    /// changed. Unknown references are not changed either.
    static func fromHTML(_ text: String) -> String {
        oneLine(string(withReferencesReplaced(withoutTags(Array(text.unicodeScalars)[...]))))
    }

    private static func withoutTags(_ text: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        var rest = text
        var result: ArraySlice<Unicode.Scalar> = []
        while let start = rest.firstIndex(of: "<") {
            result += rest[..<start]
            rest = rest[start...]
            if let end = endOfTag(rest) {
                if separating.contains(tagName(rest)) { result.append(" ") }
                rest = rest[end...]
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result + rest
    }

    /// The end of the tag at the beginning of `text`; nil if there is none.
    private static func endOfTag(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
        let name = tagName(text)
        guard inline.contains(name) || separating.contains(name) else { return nil }
        // An opening bracket ends the search, so that many of them take only linear time.
        guard let end = text.dropFirst().firstIndex(where: { $0 == ">" || $0 == "<" }), text[end] == ">"
        else {
            return nil
        }
        return end + 1
    }

    private static func tagName(_ text: ArraySlice<Unicode.Scalar>) -> String {
        var name = text.dropFirst()
        if name.first == "/" { name.removeFirst() }
        let end = name.prefix(11).firstIndex { $0 == ">" || $0 == "/" || $0.properties.isWhitespace }
        return end.map { string(name[..<$0]).lowercased() } ?? ""
    }

    private static let inline: Set = [
        "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
        "mark",
        "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
    ]
    private static let separating: Set = ["br", "div", "h1", "h2", "h3", "h4", "hr", "img", "p"]

    private static func withReferencesReplaced(_ text: ArraySlice<Unicode.Scalar>) -> ArraySlice<
        Unicode.Scalar
    > {
        var rest = text
        var result: ArraySlice<Unicode.Scalar> = []
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            if let end = rest.prefix(12).firstIndex(of: ";"),
                let scalar = referenced(by: string(rest[..<end].dropFirst()))
            {
                result.append(scalar)
                rest = rest[(end + 1)...]
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result + rest
    }

    private static func referenced(by name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return named[name] }
        let isHexadecimal = name.dropFirst().first == "x" || name.dropFirst().first == "X"
        let number = isHexadecimal ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        return number.flatMap(Unicode.Scalar.init)
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// The references that occur in titles.
    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "shy": "\u{AD}",
        "ndash": "–", "mdash": "—", "hellip": "…", "middot": "·", "bull": "•", "times": "×", "deg": "°",
        "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "laquo": "«",
        "raquo": "»",
        "copy": "©", "reg": "®", "trade": "™", "euro": "€", "pound": "£", "sect": "§", "szlig": "ß",
        "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü",
        "aacute": "á", "eacute": "é", "iacute": "í", "oacute": "ó", "uacute": "ú", "agrave": "à",
        "egrave": "è",
        "acirc": "â", "ecirc": "ê", "icirc": "î", "ocirc": "ô", "ccedil": "ç", "ntilde": "ñ", "oslash": "ø",
        "aring": "å", "aelig": "æ",
    ]
}
