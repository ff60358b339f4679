import CSQLite
import Retention
import TerminalText

extension String {
    /// The name as people write it: with quotation marks only if it needs them.
    var sqlName: String {
        let isPlain = utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: false
            }
        }
        let isKeyWord = sqlite3_keyword_check(self, CInt(clamping: utf8.count)) != 0
        return isPlain && !isEmpty && !isKeyWord ? self : quotedIdentifier
    }

    /// The text as an SQL identifier.
    var quotedIdentifier: String { quoted("\"") }

    /// What SQLite compares when it resolves a name: the bytes, with ASCII letters in lower case.
    var comparedName: [UInt8] {
        utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// The same as a text.
    var foldedName: String { String(decoding: comparedName, as: UTF8.self) }
}

extension [String] {
    /// SQL terms joined by `word` (AND or OR), nested as a balanced tree. In a flat list each term is one level deeper
    /// than the one before. SQLite's limit is 1,000 levels, and a table may have 2,000 columns.
    func balanced(_ word: String) -> String {
        guard count > 2 else { return joined(separator: " \(word) ") }
        let halves = [Array(prefix(count / 2)), Array(dropFirst(count / 2))]
        return halves.map { "(\($0.balanced(word)))" }.joined(separator: " \(word) ")
    }
}

extension Name {
    /// The name as a part of a table's name: two that differ by case are the same to SQLite.
    var unfolded: String { description.map { $0.isUppercase ? "^\($0)" : "\($0)" }.joined() }
}
