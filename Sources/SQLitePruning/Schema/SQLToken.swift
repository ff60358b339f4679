import Retention

/// A word, a quoted text or a symbol of an SQL statement.
struct SQLToken {
    /// Without its quotation marks.
    let text: String
    let isQuoted: Bool
    let range: Range<String.Index>

    func isWord(_ word: String) -> Bool { !isQuoted && text.lowercased() == word }
    func isSymbol(_ symbol: String) -> Bool { !isQuoted && text == symbol }

    /// The tokens of `statement`, without comments and white space. A token without an end extends to the end of the
    /// statement.
    static func all(of statement: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        let scalars = statement.unicodeScalars
        var rest = scalars[...]
        while let first = rest.first {
            let start = rest.startIndex
            if rest.starts(with: "--".unicodeScalars) {
                rest = rest.drop { $0 != "\n" }
            } else if rest.starts(with: "/*".unicodeScalars) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            } else if first.properties.isWhitespace {
                rest = rest.dropFirst()
            } else if let end = ["'": "'", "\"": "\"", "`": "`", "[": "]"][first] as Unicode.Scalar? {
                let text = quoted(until: end, &rest)
                tokens.append(SQLToken(text: text, isQuoted: true, range: start..<rest.startIndex))
            } else {
                let word = rest.prefix(while: isPartOfWord)
                rest = rest.dropFirst(max(1, word.count))
                let range = start..<rest.startIndex
                tokens.append(SQLToken(text: String(scalars[range]), isQuoted: false, range: range))
            }
        }
        return tokens
    }

    /// Takes a quoted text from the start of `rest`. A doubled mark stands for one mark in the text.
    private static func quoted(
        until end: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView
    ) -> String {
        var text = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst() {
            if scalar == end {
                guard end != "]", rest.first == end else { break }
                rest = rest.dropFirst()
            }
            text.append(scalar)
        }
        return String(text)
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
            || scalar == "$"
    }
}

extension SQLToken {
    /// The tokens of `statement` in a form that is equal where comments, white space, case and the quotes of names
    /// differ.
    static func comparable(_ statement: String) -> [String] {
        all(of: statement).map { token in
            statement[token.range].first == "'" ? "'" + token.text + "'" : token.text.foldedName
        }
    }

    /// The same in the form in which schemas of all kinds of stores are compared.
    static func schemaWords(_ statement: String) -> [String] {
        all(of: statement).map { token in
            guard token.isQuoted else { return token.text.foldedName }
            return statement[token.range].first == "'"
                ? token.text.schemaLiteral : token.text.foldedName.schemaWord
        }
    }
}

extension [SQLToken] {
    /// The number of arguments of the call whose function is the token at `index`; nil if that is no call.
    func arguments(after index: Int) -> Int? {
        guard index + 2 < count, self[index + 1].isSymbol("(") else { return nil }
        if self[index + 2].isSymbol(")") { return 0 }
        var (depth, arguments) = (0, 1)
        for token in self[(index + 1)...] {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 1, token.isSymbol(",") { arguments += 1 }
            if depth == 0 { return arguments }
        }
        return nil
    }

    /// The names that `table` may have in the tokens: each word after it, or after `AS` after it.
    func aliases(of table: String) -> [String] {
        indices.filter { self[$0].text.comparedName == table.comparedName }.compactMap { index in
            let next = index + 1 < count && self[index + 1].isWord("as") ? index + 2 : index + 1
            return next < count ? self[next].text : nil
        }
    }
}
