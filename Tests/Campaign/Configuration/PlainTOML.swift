/// A value of TOML, read by a reader of the tests' own.
enum PlainValue: Equatable {
    case string(String), integer(Int64), float(Double), bool(Bool)
    case array([PlainValue]), table([String: PlainValue])
    /// A date or a time, which no key takes.
    case time
}

/// A reader of TOML 1.0 (toml.io/en/v1.0.0), as simple as can be: what it does not know is ``Broken``.
struct PlainTOML {
    struct Broken: Error {}

    private var rest: Substring.UnicodeScalarView
    private var root = Table()

    /// A table while it is read, with what TOML forbids to do with it.
    private final class Table {
        enum Origin { case implied, header, dotted }
        enum Entry { case value(PlainValue), table(Table), list([Table]) }
        var entries: [String: Entry] = [:]
        var origin = Origin.implied

        var plain: [String: PlainValue] {
            entries.mapValues {
                switch $0 {
                case .value(let value): value
                case .table(let table): .table(table.plain)
                case .list(let tables): .array(tables.map { .table($0.plain) })
                }
            }
        }
    }

    /// Throws ``Broken`` if the bytes are no TOML.
    static func read(_ bytes: [UInt8]) throws -> [String: PlainValue] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Broken() }
        var reader = PlainTOML(rest: text[...].unicodeScalars)
        if reader.rest.first == "\u{FEFF}" { reader.rest.removeFirst() }
        try reader.document()
        return reader.root.plain
    }

    private init(rest: Substring.UnicodeScalarView) { self.rest = rest }

    private mutating func document() throws {
        var table = root
        while true {
            try skipLines()
            guard let first = rest.first else { return }
            if first == "[" { table = try header() } else { try pair(into: table, .dotted) }
            skipBlanks()
            try comment()
            guard rest.isEmpty || takeNewline() else { throw Broken() }
        }
    }

    private mutating func header() throws -> Table {
        let isList = take("[[")
        if !isList { _ = take("[") }
        let path = try key()
        guard take(isList ? "]]" : "]") else { throw Broken() }
        let parent = try path.dropLast().reduce(root) { table, name in
            switch table.entries[name] {
            case nil: return Self.add(.implied, to: table, name)
            case .table(let found): return found
            case .list(let found): return found[found.count - 1]
            case .value: throw Broken()
            }
        }
        let name = path[path.count - 1]
        switch (parent.entries[name], isList) {
        case (nil, false): return Self.add(.header, to: parent, name)
        case (.table(let found), false) where found.origin == .implied:
            found.origin = .header
            return found
        case (nil, true), (.list, true):
            let new = Table()
            new.origin = .header
            if case .list(let found) = parent.entries[name] {
                parent.entries[name] = .list(found + [new])
            } else {
                parent.entries[name] = .list([new])
            }
            return new
        default: throw Broken()
        }
    }

    private static func add(_ origin: Table.Origin, to table: Table, _ name: String) -> Table {
        let new = Table()
        new.origin = origin
        table.entries[name] = .table(new)
        return new
    }

    private mutating func pair(into table: Table, _ origin: Table.Origin) throws {
        let path = try key()
        guard take("=") else { throw Broken() }
        let owner = try path.dropLast().reduce(table) { table, name in
            switch table.entries[name] {
            case nil: return Self.add(origin, to: table, name)
            case .table(let found) where found.origin == .dotted: return found
            default: throw Broken()
            }
        }
        let name = path[path.count - 1]
        guard owner.entries[name] == nil else { throw Broken() }
        owner.entries[name] = .value(try value())
    }

    private mutating func key() throws -> [String] {
        var parts: [String] = []
        repeat {
            skipBlanks()
            if rest.first == "\"" || rest.first == "'" {
                guard !peek("\"\"\""), !peek("'''"), case .string(let text) = try string() else {
                    throw Broken()
                }
                parts.append(text)
            } else {
                let name = takeWhile {
                    $0.isASCII
                        && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-")
                }
                guard !name.isEmpty else { throw Broken() }
                parts.append(name)
            }
            skipBlanks()
        } while take(".")
        return parts
    }

    // MARK: - Values

    private mutating func value() throws -> PlainValue {
        skipBlanks()
        switch rest.first {
        case "\"", "'": return try string()
        case "[": return try array()
        case "{": return try inlineTable()
        default: return try word()
        }
    }

    private mutating func array() throws -> PlainValue {
        _ = take("[")
        var values: [PlainValue] = []
        while true {
            try skipLines()
            if take("]") { return .array(values) }
            values.append(try value())
            try skipLines()
            if take(",") { continue }
            guard take("]") else { throw Broken() }
            return .array(values)
        }
    }

    private mutating func inlineTable() throws -> PlainValue {
        _ = take("{")
        let table = Table()
        skipBlanks()
        if take("}") { return .table([:]) }
        repeat { try pair(into: table, .dotted); skipBlanks() } while take(",")
        guard take("}") else { throw Broken() }
        return .table(table.plain)
    }

    private mutating func word() throws -> PlainValue {
        let word = takeWhile {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "+-_.:".unicodeScalars.contains($0))
        }
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "inf", "+inf": return .float(.infinity)
        case "-inf": return .float(-.infinity)
        case "nan", "+nan", "-nan": return .float(.nan)
        default: break
        }
        if word.wholeMatch(of: /[+-]?(0|[1-9](_?[0-9])*)/) != nil { return try .integer(number(word, 10)) }
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
            let digits = String(word.dropFirst(2))
            guard digits.wholeMatch(of: /[0-9A-Fa-f](_?[0-9A-Fa-f])*/) != nil else { throw Broken() }
            return try .integer(number(digits, radix))
        }
        if word.wholeMatch(of: /[+-]?(0|[1-9](_?[0-9])*)(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?/)
            != nil
        {
            guard let number = Double(word.filter { $0 != "_" }) else { throw Broken() }
            return .float(number)
        }
        guard word.wholeMatch(of: /[0-9]{2,4}[-:][0-9]{2}.*/) != nil else { throw Broken() }
        if word.count == 10, peek(" "), rest.dropFirst().first.map({ ("0"..."9").contains($0) }) == true {
            rest.removeFirst()
            _ = takeWhile {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || "+-.:".unicodeScalars.contains($0))
            }
        }
        return .time
    }

    private func number(_ text: String, _ radix: Int) throws -> Int64 {
        guard let number = Int64(text.filter { $0 != "_" }, radix: radix) else { throw Broken() }
        return number
    }

    private mutating func string() throws -> PlainValue {
        guard let quote = rest.first else { throw Broken() }
        let mark = String(repeating: String(quote), count: 3)
        let isLong = take(mark)
        if isLong { _ = takeNewline() } else { rest.removeFirst() }
        var text = String.UnicodeScalarView()
        while let scalar = rest.first {
            if isLong ? peek(mark) : scalar == quote {
                for _ in 0..<(isLong ? 3 : 1) { rest.removeFirst() }
                // Up to two more quotes belong to the text.
                for _ in 0..<2 where isLong && rest.first == quote { text.append(quote); rest.removeFirst() }
                return .string(String(text))
            }
            if isLong, peek("\n") || peek("\r\n") { _ = takeNewline(); text.append("\n"); continue }
            guard scalar.value >= 0x20 || scalar == "\t", scalar.value != 0x7F else { throw Broken() }
            rest.removeFirst()
            if scalar == "\\", quote == "\"" { try escape(isLong, into: &text) } else { text.append(scalar) }
        }
        throw Broken()
    }

    private mutating func escape(_ isLong: Bool, into text: inout String.UnicodeScalarView) throws {
        let known: [Unicode.Scalar: Unicode.Scalar] = [
            "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
        ]
        if isLong, [" ", "\t", "\n", "\r"].contains(rest.first) {
            skipBlanks()
            guard takeNewline() else { throw Broken() }
            repeat { skipBlanks() } while takeNewline()
            return
        }
        guard let letter = rest.popFirst() else { throw Broken() }
        if let scalar = known[letter] { return text.append(scalar) }
        guard letter == "u" || letter == "U" else { throw Broken() }
        let digits = String(rest.prefix(letter == "u" ? 4 : 8))
        rest = rest.dropFirst(letter == "u" ? 4 : 8)
        guard digits.count == (letter == "u" ? 4 : 8), digits.allSatisfy(\.isHexDigit),
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else { throw Broken() }
        text.append(scalar)
    }

    // MARK: - Between

    private mutating func skipBlanks() { _ = takeWhile { $0 == " " || $0 == "\t" } }

    private mutating func skipLines() throws {
        repeat {
            skipBlanks()
            try comment()
        } while takeNewline()
    }

    private mutating func comment() throws {
        guard rest.first == "#" else { return }
        let text = takeWhile { $0 != "\n" && $0 != "\r" }
        guard text.unicodeScalars.allSatisfy({ ($0.value >= 0x20 || $0 == "\t") && $0.value != 0x7F }) else {
            throw Broken()
        }
        guard rest.isEmpty || peek("\n") || peek("\r\n") else { throw Broken() }
    }

    private mutating func takeNewline() -> Bool { take("\n") || take("\r\n") }
    private func peek(_ text: String) -> Bool { rest.starts(with: text.unicodeScalars) }

    private mutating func take(_ text: String) -> Bool {
        guard peek(text) else { return false }
        rest = rest.dropFirst(text.unicodeScalars.count)
        return true
    }

    private mutating func takeWhile(_ isPart: (Unicode.Scalar) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return String(String.UnicodeScalarView(part))
    }
}
