import FoundationEssentials

/// An entry as a line of text: a JSON object, and nothing in it but printable ASCII, so that no value of a store's or a
/// file's breaks the line, or a terminal.
enum HistoryLine {
    static func text(of entry: HistoryEntry) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let json = String(decoding: try encoder.encode(entry), as: UTF8.self)
        return json.unicodeScalars.reduce(into: "") { line, scalar in
            if (" "..."~").contains(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 { line += escaped(unit) }
            }
        }
    }

    private static func escaped(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension HistoryEntry {
    /// The entry as one line of JSON, in ASCII, with sorted keys, times in UTC and durations in milliseconds.
    package func json() throws -> String { try HistoryLine.text(of: self) }
}
