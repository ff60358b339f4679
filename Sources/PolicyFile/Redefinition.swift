/// A table or a key that occurs twice in one file, from the TOML parser's message.
struct Redefinition {
    private let kind: String
    private let name: String

    /// Nil when the message is about something else.
    init?(_ message: String) {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        let phrase = " cannot redefine existing "
        guard parts.count > 2, let start = parts[0].firstRange(of: phrase)?.upperBound else { return nil }
        kind = String(parts[0][start...].dropLast())
        name = parts[1..<(parts.count - 1)].joined(separator: "'")
    }

    /// The hint: where the first occurrence is, and what to do. `line` is the line of the second one in `text`, counted
    /// from 1.
    func hint(in text: String, line: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(max(0, line - 1))
            .map { $0.filter { !" \t\r\"'".contains($0) } }
        let first = kind == "table" ? lines.firstIndex(where: isTable) : keyIndex(in: lines)
        let title = kind == "table" ? "[\(name)]" : name
        let place = first.map { "\(title) stands in line \($0 + 1), too" } ?? "\(title) occurs twice"
        guard kind == "table" else { return "\(place): leave one of the two out" }
        let isNamed = name.hasPrefix("rule.") || name.hasPrefix("store.")
        return "\(place): " + (isNamed ? "give one of the two another name, or " : "") + "make them one table"
    }

    /// Whether a line, without blanks and quotes, begins the table or sets a key in it from outside.
    private func isTable(_ line: String) -> Bool {
        line.hasPrefix("[\(name)]") || line.hasPrefix("\(name)=") || line.hasPrefix("\(name).")
    }

    /// The first occurrence in the table of the second one.
    private func keyIndex(in lines: [String]) -> Int? {
        let start = lines.lastIndex { $0.hasPrefix("[") } ?? 0
        return lines[start...].firstIndex { $0.hasPrefix("\(name)=") }
    }
}
