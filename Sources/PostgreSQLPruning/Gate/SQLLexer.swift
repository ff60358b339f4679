/// Divides a definition into tokens, as PostgreSQL does with `standard_conforming_strings = on`.
///
/// What could mean something else to another version of the server is refused: escapes by number, texts that continue
/// on the next line, numbers with a name at their end.
struct SQLLexer {
    /// Why a definition has no tokens, and where, in bytes of UTF-8.
    struct Refused: Error, Equatable {
        let reason: String
        let offset: Int
    }

    private let bytes: [UInt8]
    private var position = 0
    private var tokens: [SQLToken] = []

    static func tokens(of text: String) throws(Refused) -> [SQLToken] {
        var lexer = SQLLexer(bytes: Array(text.utf8))
        try lexer.run()
        return lexer.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }
    private func isNext(_ text: StaticString, _ ahead: Int = 0) -> Bool {
        text.withUTF8Buffer { bytes[min(position + ahead, bytes.count)...].starts(with: $0) }
    }
    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private mutating func add(_ kind: SQLToken.Kind, from start: Int, _ value: String? = nil) {
        tokens.append(SQLToken(kind: kind, text: value ?? text(start..<position), range: start..<position))
    }

    private mutating func run() throws(Refused) {
        if let nul = bytes.firstIndex(of: 0) {
            throw Refused(reason: "it contains a NUL character", offset: nul)
        }
        while let first = byte() {
            let start = position
            if Self.isSpace(first) {
                position += 1
            } else if isNext("--") {
                while let next = byte(), next != UInt8(ascii: "\n"), next != UInt8(ascii: "\r") {
                    position += 1
                }
            } else if isNext("/*") {
                try skipComment()
            } else if first == UInt8(ascii: "'") {
                try addString(from: start, hasEscapes: false)
            } else if first == UInt8(ascii: "\"") {
                let name = try quoted("\"", from: start, hasEscapes: false)
                guard !name.isEmpty else { throw Refused(reason: "a name is empty", offset: start) }
                add(.quotedName, from: start, name)
            } else if first == UInt8(ascii: "$") {
                try addDollarQuoted()
            } else if Self.isDigit(first)
                || first == UInt8(ascii: ".") && byte(1).map(Self.isDigit) ?? false
            {
                try addNumber()
            } else if Self.isNameStart(first) {
                try addWord()
            } else if Self.operators.contains(first) {
                addOperator()
            } else if Self.punctuation.contains(first) {
                position += isNext("::") || isNext(":=") || isNext("..") ? 2 : 1
                add(.symbol, from: start)
            } else {
                throw Refused(
                    reason: first == UInt8(ascii: ";")
                        ? "it has a semicolon" : "it has a character that is no part of SQL", offset: start)
            }
        }
    }

    /// Comments nest.
    private mutating func skipComment() throws(Refused) {
        let start = position
        var depth = 0
        repeat {
            guard byte() != nil else { throw Refused(reason: "a comment does not end", offset: start) }
            let isStart = isNext("/*")
            let isEnd = isNext("*/")
            depth += isStart ? 1 : isEnd ? -1 : 0
            position += isStart || isEnd ? 2 : 1
        } while depth > 0
    }

    private mutating func addString(from start: Int, hasEscapes: Bool) throws(Refused) {
        if let last = tokens.last, last.kind == .string {
            throw Refused(reason: "two texts stand side by side, which PostgreSQL may join", offset: start)
        }
        let value = try quoted("'", from: start, hasEscapes: hasEscapes)
        add(.string, from: start, value)
    }

    /// Takes what stands in quotation marks. A doubled mark stands for one.
    private mutating func quoted(
        _ mark: Unicode.Scalar, from start: Int, hasEscapes: Bool
    ) throws(Refused) -> String {
        let mark = UInt8(ascii: mark)
        var value: [UInt8] = []
        position += 1
        while let next = byte() {
            if next == mark {
                position += 1
                guard byte() == mark else { return String(decoding: value, as: UTF8.self) }
            } else if hasEscapes, next == UInt8(ascii: "\\") {
                let place = position
                position += 1
                guard let escaped = byte(), let meaning = Self.escapes[escaped] else {
                    throw Refused(
                        reason: "an escape is none of \\\\ \\' \\n \\t \\r; write the character itself",
                        offset: place)
                }
                value.append(meaning)
                position += 1
                continue
            }
            value.append(next)
            position += 1
        }
        throw Refused(
            reason: mark == UInt8(ascii: "'") ? "a text does not end" : "a name does not end", offset: start)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "'"): UInt8(ascii: "'"),
        UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13,
    ]

    private mutating func addDollarQuoted() throws(Refused) {
        let start = position
        position += 1
        if byte().map(Self.isDigit) ?? false { throw Refused(reason: "it has a parameter", offset: start) }
        while let next = byte(), Self.isNamePart(next), next != UInt8(ascii: "$") { position += 1 }
        guard byte() == UInt8(ascii: "$") else {
            throw Refused(reason: "it has a character that is no part of SQL", offset: start)
        }
        if tokens.last?.kind == .string {
            throw Refused(reason: "two texts stand side by side, which PostgreSQL may join", offset: start)
        }
        position += 1
        let tag = bytes[start..<position]
        let content = position
        while position < bytes.count {
            if bytes[position...].starts(with: tag) {
                let value = text(content..<position)
                position += tag.count
                return add(.string, from: start, value)
            }
            position += 1
        }
        throw Refused(reason: "a text does not end", offset: start)
    }

    private mutating func addNumber() throws(Refused) {
        let start = position
        func digits(_ lexer: inout SQLLexer) {
            while let next = lexer.byte(), Self.isDigit(next) { lexer.position += 1 }
        }
        digits(&self)
        if byte() == UInt8(ascii: "."), byte(1) != UInt8(ascii: ".") {
            position += 1
            digits(&self)
        }
        if let mark = byte(), mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            let sign = byte(1)
            let skipped = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") ? 2 : 1
            if byte(skipped).map(Self.isDigit) ?? false {
                position += skipped
                digits(&self)
            }
        }
        if let next = byte(), Self.isNamePart(next) {
            throw Refused(reason: "a number ends in a name; write a blank between them", offset: start)
        }
        add(.number, from: start)
    }

    private mutating func addWord() throws(Refused) {
        let start = position
        for prefix in ["u&'", "u&\""] where bytes[start...].prefix(3).map(Self.lower) == Array(prefix.utf8) {
            throw Refused(reason: "it has escapes by number; write the characters themselves", offset: start)
        }
        if byte(1) == UInt8(ascii: "'"), let first = byte().map(Self.lower), Self.prefixes.contains(first) {
            position += 1
            return try addString(from: start, hasEscapes: first == UInt8(ascii: "e"))
        }
        while let next = byte(), Self.isNamePart(next) { position += 1 }
        // Only letters of ASCII: others depend on the server's encoding.
        let word = String(decoding: bytes[start..<position].map(Self.lower), as: UTF8.self)
        add(.word, from: start, word)
    }

    private mutating func addOperator() {
        let start = position
        while let next = byte(), Self.operators.contains(next) {
            if position > start, isNext("--") || isNext("/*") { break }
            position += 1
        }
        // `a=-1` is a comparison with a negative number.
        let strange = bytes[start..<position].contains { Array("~!@#^&|`?%".utf8).contains($0) }
        while position > start + 1, !strange,
            [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position - 1])
        {
            position -= 1
        }
        add(.symbol, from: start)
    }

    private static let prefixes = Set("ebxn".utf8)
    private static let operators = Set("~!@#^&|`?+-*/%<>=".utf8)
    private static let punctuation = Set("()[],.:".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isNameStart(_ byte: UInt8) -> Bool {
        byte >= 128 || byte == UInt8(ascii: "_") || (97...122).contains(lower(byte))
    }
    private static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "$")
    }
    private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
