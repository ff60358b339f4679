/// Scans a text before the TOML parser, and refuses what the parser handles badly.
///
/// For some invalid texts, the parser (toml++ 3.3) reports neither a place nor a reason. Its behaviour is undefined for
/// non-ASCII letters outside of quotes. A path or a name would silently end at a NUL.
struct ParserGuard {
    /// Far more dots than any key needs. The parsed document is freed by nested calls, one for each dot and bracket,
    /// and some thousands of them would overflow the stack.
    static let mostDots = 100
    /// The largest number of open brackets, for the same reason.
    static let mostBrackets = 16

    /// The first thing that must not reach the parser, and its place.
    struct Refusal: Error {
        let line: Int
        let column: Int
        let reason: String
        let hint: String
    }

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var dots = 0
    /// The open brackets, innermost last.
    private var open: [Unicode.Scalar] = []

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        self.scalars = scalars.first == "\u{FEFF}" ? Array(scalars.dropFirst()) : scalars
    }

    /// Throws at the first refusal. Ordinary syntax errors are left to the parser, which explains them.
    mutating func check() throws(Refusal) {
        while let scalar = peek() {
            switch scalar {
            case "#": try skipComment()
            case "\"", "'": try skipString(in: scalar)
            case "[", "{": try openBracket(scalar)
            case "]", "}": try closeBracket(scalar)
            case "\n": endLine()
            case ".": try countDot()
            case ":": throw refusal("dates and times are not allowed here", "put the value in double quotes")
            case " "..."~", "\t", "\r": index += 1
            case "\0": try skipText(scalar)
            default:
                throw refusal(
                    "the character \(String(scalar).quoted) is not in quotes", "put it in double quotes")
            }
        }
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        let position = index + distance
        return scalars.indices.contains(position) ? scalars[position] : nil
    }

    private func refusal(_ reason: String, _ hint: String) -> Refusal {
        Refusal(line: line, column: index - lineStart + 1, reason: reason, hint: hint)
    }

    private mutating func endLine() {
        index += 1
        line += 1
        lineStart = index
        if open.isEmpty { dots = 0 }
    }

    private mutating func skipComment() throws(Refusal) {
        while let scalar = peek(), scalar != "\n" { try skipText(scalar) }
    }

    /// Skips a character of a comment or a string.
    private mutating func skipText(_ scalar: Unicode.Scalar) throws(Refusal) {
        guard scalar != "\0" else { throw refusal("a NUL character", "save the file as UTF-8 text") }
        index += 1
    }

    private mutating func countDot() throws(Refusal) {
        dots += 1
        guard dots <= Self.mostDots else {
            throw refusal("more than \(Self.mostDots) dots in a line", "no key is nested that deeply")
        }
        index += 1
    }

    private mutating func openBracket(_ bracket: Unicode.Scalar) throws(Refusal) {
        let isHeader = open.isEmpty && scalars[lineStart..<index].allSatisfy { $0 == " " || $0 == "\t" }
        guard open.count < Self.mostBrackets else {
            throw refusal("more than \(Self.mostBrackets) open brackets", "no value is nested that deeply")
        }
        open.append(bracket)
        index += 1
        guard isHeader, bracket == "[" else { return }
        if peek() == "[" {
            open.append("[")
            index += 1
        }
        try checkHeaderName()
    }

    /// The parser explains an empty name, but not a character that cannot start one.
    private mutating func checkHeaderName() throws(Refusal) {
        while peek() == " " || peek() == "\t" { index += 1 }
        guard let first = peek(), first.isBareKeyCharacter || "\"']".unicodeScalars.contains(first) else {
            throw refusal("a table's name is missing", "write [store.NAME] or [rule.NAME]")
        }
    }

    private mutating func closeBracket(_ bracket: Unicode.Scalar) throws(Refusal) {
        guard open.popLast() == (bracket == "]" ? "[" : "{") else {
            throw refusal("\"\(bracket)\" closes nothing that is open", "check the brackets before it")
        }
        index += 1
    }

    private mutating func skipString(in quote: Unicode.Scalar) throws(Refusal) {
        if index > 0, scalars[index - 1].isBareKeyCharacter {
            throw refusal(
                "a quote follows a character directly", "put the whole value in one pair of quotes")
        }
        let unclosed = refusal("the closing quote is missing", "close the string with \(quote)")
        let isMultiline = peek(1) == quote && peek(2) == quote
        index += isMultiline ? 3 : 1
        while let scalar = peek(), scalar != "\n" || isMultiline {
            if scalar == quote, !isMultiline || (peek(1) == quote && peek(2) == quote) {
                index += isMultiline ? 3 : 1
                // Up to two quotes before the closing three belong to the string.
                for _ in 0..<2 where isMultiline && peek() == quote { index += 1 }
                return
            }
            switch scalar {
            case "\n": endLine()
            case "\\" where quote == "\"": try skipEscape()
            default: try skipText(scalar)
            }
        }
        throw unclosed
    }

    private mutating func skipEscape() throws(Refusal) {
        let digits = peek(1) == "u" ? 4 : peek(1) == "U" ? 8 : 0
        if digits > 0, (2..<2 + digits).allSatisfy({ peek($0) == "0" }) {
            throw refusal("an escaped NUL", "no key or value can hold one")
        }
        index += peek(1) == "\n" ? 1 : 2
    }
}
