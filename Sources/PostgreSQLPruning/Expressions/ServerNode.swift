/// A node of what the server made of a statement, as it prints it: `{VAR :varno 1 :varattno 2}`.
struct ServerNode {
    let name: String
    private let fields: [String: [Value]]

    indirect enum Value {
        case node(ServerNode)
        case list([Value])
        case text(String)
    }

    /// Nil where the text is none, or is nested too deeply.
    init?(_ text: String) {
        var parser = Parser(bytes: Array(text.utf8))
        guard case .node(let node) = parser.value(0) else { return nil }
        self = node
    }

    private init(name: String, fields: [String: [Value]]) { (self.name, self.fields) = (name, fields) }

    func text(_ field: String) -> String? {
        guard case .text(let text) = fields[field]?.first else { return nil }
        return text
    }

    func number(_ field: String) -> Int? { text(field).flatMap { Int($0) } }
    func isTrue(_ field: String) -> Bool { text(field) == "true" }

    /// Whether the field has a value. An empty one is printed as `<>`.
    func has(_ field: String) -> Bool {
        guard let values = fields[field], let first = values.first else { return false }
        if case .text("<>") = first { return false }
        return true
    }

    func node(_ field: String) -> ServerNode? {
        guard case .node(let node) = fields[field]?.first else { return nil }
        return node
    }

    func nodes(_ field: String) -> [ServerNode] { (fields[field] ?? []).flatMap(\.nodes) }

    /// The numbers of a list such as `(o 410 96)`.
    func numbers(_ field: String) -> [Int] {
        guard case .list(let items) = fields[field]?.first else { return [] }
        return items.compactMap {
            guard case .text(let text) = $0 else { return nil }
            return Int(text)
        }
    }

    /// The nodes right below this one, except those in `left`.
    func children(besides left: Set<String> = []) -> [ServerNode] {
        fields.filter { !left.contains($0.key) }.sorted { $0.key < $1.key }
            .flatMap { $0.value.flatMap(\.nodes) }
    }

    /// Reads tokens as the server's own reader does: a backslash keeps the next byte from ending one.
    private struct Parser {
        let bytes: [UInt8]
        var position = 0

        static let deepest = 400

        private mutating func skipSpace() {
            while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { position += 1 }
        }

        private func isEnd(_ byte: UInt8) -> Bool {
            [9, 10, 13, 32].contains(byte) || "(){}".utf8.contains(byte)
        }

        private mutating func token() -> String? {
            skipSpace()
            guard position < bytes.count else { return nil }
            let start = position
            if "(){}".utf8.contains(bytes[position]) {
                position += 1
            } else {
                while position < bytes.count, !isEnd(bytes[position]) {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position = min(position, bytes.count)
            }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        private mutating func peek() -> String? {
            let start = position
            defer { position = start }
            return token()
        }

        mutating func value(_ depth: Int) -> Value? {
            guard depth < Self.deepest, let first = token() else { return nil }
            switch first {
            case "{":
                guard let name = token() else { return nil }
                var fields: [String: [Value]] = [:]
                var field = ""
                while let next = peek() {
                    if next == "}" {
                        _ = token()
                        return .node(ServerNode(name: name, fields: fields))
                    }
                    if next.hasPrefix(":") {
                        _ = token()
                        field = String(next.dropFirst())
                        // A name that the server's lines break could look like a field once more.
                        if fields[field] != nil { field = "" }
                    } else {
                        guard let value = value(depth + 1) else { return nil }
                        fields[field, default: []].append(value)
                    }
                }
                return nil
            case "(":
                var items: [Value] = []
                while let next = peek() {
                    if next == ")" {
                        _ = token()
                        return .list(items)
                    }
                    guard let item = value(depth + 1) else { return nil }
                    items.append(item)
                }
                return nil
            case ")", "}": return nil
            default: return .text(first)
            }
        }
    }
}

extension ServerNode.Value {
    fileprivate var nodes: [ServerNode] {
        switch self {
        case .node(let node): [node]
        case .list(let items): items.flatMap(\.nodes)
        case .text: []
        }
    }
}
