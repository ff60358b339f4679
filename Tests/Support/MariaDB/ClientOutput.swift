import Foundation

/// What MariaDB's client prints with `--xml`, the one form in which NULL is no text.
enum ClientOutput {
    /// The rows of all results.
    ///
    /// No parser of XML reads them: the client writes control characters as they are, and those are no XML. It escapes each
    /// `<` and `"` of a text, though, so that what it writes itself is told from a text.
    static func rows(_ text: String) -> [[String?]] {
        var rows: [[String?]] = []
        /// The lines so far of a field that has not ended.
        var field: [String] = []
        for line in text.components(separatedBy: "\n") {
            if !field.isEmpty || line.hasPrefix("\t<field name=") {
                field.append(line)
                guard isEnd(line) else { continue }
                rows[rows.count - 1].append(value(of: field.joined(separator: "\n")))
                field = []
            } else if line == "  <row>" {
                rows.append([])
            }
        }
        return rows
    }

    private static let null = "\" xsi:nil=\"true\" />"
    private static let end = "</field>"

    private static func isEnd(_ line: String) -> Bool { line.hasSuffix(end) || line.hasSuffix(null) }

    /// Of `<field name="NAME">TEXT</field>` the text, and nil of `<field name="NAME" xsi:nil="true" />`.
    private static func value(of field: String) -> String? {
        guard field.hasSuffix(end) else { return nil }
        // The first one ends the name. Not by characters: a text may begin with an accent.
        var text = field.utf8.dropLast(end.utf8.count)
        while !text.isEmpty, !text.starts(with: "\">".utf8) { text = text.dropFirst() }
        let value = String(Substring(text.dropFirst(2)))
        guard value.utf8.contains(UInt8(ascii: "&")) else { return value }
        let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        return escapes.reduce(value) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
