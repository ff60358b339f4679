/// A word, name, value or symbol of a condition.
struct Token: Equatable {
    enum Kind: Equatable {
        /// Not in quotation marks: a key word or a name.
        case word
        case quotedName
        case text
        case number
        case symbol
        case end
    }

    let kind: Kind
    /// Without quotation marks; as it is written otherwise.
    let text: String
    /// In bytes of UTF-8 from 0 on.
    let offset: Int

    /// Whether it is this key word, which is given in capitals.
    func isWord(_ word: String) -> Bool { kind == .word && text.uppercased() == word }
    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

    var name: SQLName? {
        switch kind {
        case .word: SQLName(text, at: offset)
        case .quotedName: SQLName(text, isQuoted: true, at: offset)
        default: nil
        }
    }

    /// All tokens of a condition, with one of the kind ``Kind/end`` after the last.
    static func all(of text: String) throws(ConditionError) -> [Token] {
        var lexer = Lexer(scalars: Array(text.unicodeScalars))
        return try lexer.tokens()
    }

    private struct Lexer {
        let scalars: [Unicode.Scalar]
        var position = 0
        var offset = 0

        var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
        func after(_ count: Int) -> Unicode.Scalar? {
            position + count < scalars.count ? scalars[position + count] : nil
        }

        mutating func advance() {
            offset += String(scalars[position]).utf8.count
            position += 1
        }

        mutating func tokens() throws(ConditionError) -> [Token] {
            var tokens: [Token] = []
            while try skipBlanks(), let first = next {
                let start = offset
                switch first {
                case "'": tokens.append(Token(kind: .text, text: try quoted(first), offset: start))
                case "\"":
                    let name = try quoted(first)
                    guard !name.isEmpty else { throw ConditionError("has a name that is empty", at: start) }
                    tokens.append(Token(kind: .quotedName, text: name, offset: start))
                case _ where Self.isDigit(first) || first == "." && after(1).map(Self.isDigit) ?? false:
                    tokens.append(Token(kind: .number, text: try number(), offset: start))
                case _ where Self.isNameStart(first):
                    tokens.append(Token(kind: .word, text: taken(while: Self.isNamePart), offset: start))
                default: tokens.append(Token(kind: .symbol, text: try symbol(), offset: start))
                }
            }
            return tokens + [Token(kind: .end, text: "", offset: offset)]
        }

        /// Blanks and comments.
        private mutating func skipBlanks() throws(ConditionError) -> Bool {
            while let first = next {
                if Self.isBlank(first) {
                    advance()
                } else if first == "-", after(1) == "-" {
                    while let next, next != "\n", next != "\r" { advance() }
                } else if first == "/", after(1) == "*" {
                    let start = offset
                    // SQLite's comments do not nest, PostgreSQL's do.
                    advance()
                    advance()
                    while let found = next, found != "*" || after(1) != "/" {
                        guard found != "/" || after(1) != "*" else {
                            throw ConditionError("has a comment within a comment", at: offset)
                        }
                        advance()
                    }
                    guard next != nil else {
                        throw ConditionError("has a comment that does not end", at: start)
                    }
                    advance()
                    advance()
                } else {
                    break
                }
            }
            return next != nil
        }

        /// What stands between two of these marks. Two of them within stand for one.
        private mutating func quoted(_ mark: Unicode.Scalar) throws(ConditionError) -> String {
            let start = offset
            var text = String.UnicodeScalarView()
            advance()
            while let found = next {
                guard found != "\0" else { throw ConditionError("has a NUL character", at: offset) }
                if found == mark {
                    advance()
                    guard next == mark else { return String(text) }
                }
                text.append(found)
                advance()
            }
            throw ConditionError("has a \(mark == "'" ? "text" : "name") that does not end", at: start)
        }

        private mutating func number() throws(ConditionError) -> String {
            let start = offset
            var text = taken(while: Self.isDigit)
            if next == "." {
                advance()
                text += "." + taken(while: Self.isDigit)
            }
            if next == "e" || next == "E" {
                let isSigned = after(1) == "+" || after(1) == "-"
                if after(isSigned ? 2 : 1).map(Self.isDigit) ?? false {
                    advance()
                    text += "e"
                    if isSigned, let sign = next {
                        text.unicodeScalars.append(sign)
                        advance()
                    }
                    text += taken(while: Self.isDigit)
                }
            }
            guard !(next.map(Self.isNamePart) ?? false) else {
                throw ConditionError("has a number that ends in a name", at: start)
            }
            return text
        }

        private mutating func symbol() throws(ConditionError) -> String {
            for symbol in ["->>", "<>", "!=", "<=", ">="] where matches(symbol) {
                for _ in symbol.unicodeScalars { advance() }
                return symbol
            }
            guard let first = next, "(),.=<>+-*".unicodeScalars.contains(first) else {
                throw unknown()
            }
            advance()
            return String(first)
        }

        private func unknown() -> ConditionError {
            let hints = [
                "==": "write =", "||": "texts are not joined in conditions",
                "::": "values are not cast in conditions",
                ";": "a condition is one expression, without a semicolon", "`": "names stand in \"\"",
                "[": "names stand in \"\"", "$": "a text stands in ''", "?": "a condition has no parameters",
            ]
            let rest = String(String.UnicodeScalarView(scalars[position...].prefix(2)))
            let hint = hints.first { rest.hasPrefix($0.key) }?.value
            let isShown = (" "..."~").contains(scalars[position])
            let shown = isShown ? String(scalars[position]) : "a character"
            return ConditionError("has \(shown) where no condition has it", hint: hint, at: offset)
        }

        private func matches(_ symbol: String) -> Bool {
            scalars[position...].starts(with: symbol.unicodeScalars)
        }

        private mutating func taken(while isWanted: (Unicode.Scalar) -> Bool) -> String {
            var text = String.UnicodeScalarView()
            while let found = next, isWanted(found) {
                text.append(found)
                advance()
            }
            return String(text)
        }

        private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar == " " || (9...13).contains(scalar.value)
        }
        private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
            !scalar.isASCII || scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        }
        private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
            isNameStart(scalar) || isDigit(scalar) || scalar == "$"
        }
    }
}
