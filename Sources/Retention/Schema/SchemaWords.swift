/// Divides the text of schemas, definitions and conditions into words: names, texts in quotation marks, numbers and
/// symbols.
///
/// A word has one form, in which it is compared and printed. A name is in quotation marks only if it needs them, and an
/// operator of several characters is several symbols, so that blanks between them mean nothing.
package enum SchemaWords {
    /// A text or a name has no end.
    package struct Unfinished: Error, Equatable {
        package let reason: String
        /// From 1 on.
        package let line: Int
    }

    /// The words of each line of `text` that has any, with its number from 1 on. Comments of SQL are left out. A text in
    /// quotation marks may go on in the next lines; then these are parts of the line on which it begins.
    ///
    /// With `lowercasing`, a name without quotation marks has no capitals, as in SQL.
    package static func lines(
        of text: String, lowercasing: Bool = false
    ) throws(Unfinished) -> [(number: Int, words: [String])] {
        var lexer = Lexer(lowercasing: lowercasing, rest: text.unicodeScalars[...])
        var lines: [(number: Int, words: [String])] = []
        var end = 0
        while let (number, word) = try lexer.next() {
            if number == end {
                lines[lines.count - 1].words.append(word)
            } else {
                lines.append((number, [word]))
            }
            end = lexer.line
        }
        return lines
    }

    /// The words of SQL.
    package static func all(ofSQL text: String) throws(Unfinished) -> [String] {
        try lines(of: text, lowercasing: true).flatMap(\.words)
    }

    /// The words as a text, with blanks between them where people put them.
    package static func joined(_ words: [String]) -> String {
        var (text, before) = ("", "")
        for word in words {
            let isOperator = before.count == 1 && word.count == 1 && isSign(before) && isSign(word)
            let isTight =
                text.isEmpty || [",", ")", ".", "]", "[", ";", ":"].contains(word)
                || ["(", ".", "[", ":"].contains(before)
                // Two of these would begin a comment.
                || isOperator && word != "-" && word != "*"
            text += (isTight ? "" : " ") + word
            before = word
        }
        return text
    }

    private static func isSign(_ word: String) -> Bool { "~!@#^&|?+-*/%<>=".contains(word) }

    /// Whether it is a name in quotation marks, or a word that could be one.
    package static func isName(_ word: String) -> Bool {
        word.unicodeScalars.first.map { $0 == "\"" || isPartOfName($0) } ?? false
    }

    /// The name that a word is, without quotation marks.
    package static func name(_ word: String) -> String {
        word.hasPrefix("\"") ? String(word.dropFirst().dropLast()).replacing("\"\"", with: "\"") : word
    }

    static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && !scalar.properties.isWhitespace || ("a"..."z").contains(scalar)
            || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "$"
    }
}

extension String {
    /// The name as a word of a schema.
    package var schemaWord: String {
        let isPlain =
            unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
            && unicodeScalars.allSatisfy(SchemaWords.isPartOfName)
        return isPlain ? self : "\"" + replacing("\"", with: "\"\"") + "\""
    }

    /// The text with small letters of ASCII.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The text as a word of a schema.
    package var schemaLiteral: String { "'" + replacing("'", with: "''") + "'" }
}

private struct Lexer {
    let lowercasing: Bool
    var rest: Substring.UnicodeScalarView
    var line = 1

    /// The next word and the line on which it begins; nil at the end.
    mutating func next() throws(SchemaWords.Unfinished) -> (Int, String)? {
        skipBlanks()
        guard let first = rest.first else { return nil }
        let start = line
        switch first {
        case "'": return (start, try quoted(by: first, "a text does not end").schemaLiteral)
        case "\"": return (start, try quoted(by: first, "a name does not end").schemaWord)
        case _ where SchemaWords.isPartOfName(first):
            let word = rest.prefix(while: SchemaWords.isPartOfName)
            rest = rest.dropFirst(word.count)
            return (start, lowercasing ? String(word).lowercasedASCII : String(word))
        default:
            advance()
            return (start, String(first))
        }
    }

    private mutating func advance() {
        if rest.popFirst() == "\n" { line += 1 }
    }

    private mutating func skipBlanks() {
        while let first = rest.first {
            if first.properties.isWhitespace {
                advance()
            } else if rest.starts(with: "--".unicodeScalars) {
                rest = rest.drop { $0 != "\n" }
            } else if rest.starts(with: "/*".unicodeScalars) {
                advance()
                advance()
                while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { advance() }
                rest = rest.dropFirst(2)
            } else {
                return
            }
        }
    }

    /// Takes what stands between two marks. A doubled mark stands for one.
    private mutating func quoted(
        by mark: Unicode.Scalar, _ reason: String
    ) throws(SchemaWords.Unfinished) -> String {
        let start = line
        var text = String.UnicodeScalarView()
        advance()
        while let scalar = rest.first {
            advance()
            if scalar == mark {
                guard rest.first == mark else { return String(text) }
                advance()
            }
            text.append(scalar)
        }
        throw SchemaWords.Unfinished(reason: reason, line: start)
    }
}
