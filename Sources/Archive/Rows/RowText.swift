import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// Archived rows as text that needs no pruned to be read: a line of JSON for each, or CSV with a header for each table.
///
/// Numbers are exact. Of a server, each value is the text that the server itself gives for it. A value that is no UTF-8
/// text is written in base 64, and says so.
struct RowText {
    let part: ArchivedPart
    let rows: ArchivedRows
    let format: ExportFormat

    /// The columns of the table alone: a place is none.
    private var columns: ArraySlice<String> { rows.columns[(rows.hasPlace ? 1 : 0)...] }

    /// The header of CSV; nothing for JSON.
    var header: String {
        format == .csv ? Self.line((["table"] + columns).map(Self.quoted)) : ""
    }

    /// One line for each row.
    func lines() throws(RowEncoding.Unreadable) -> String {
        try rows.values().map { row in
            let values = row[columns.startIndex..<columns.endIndex]
            return format == .csv
                ? Self.line([Self.quoted(part.table)] + values.map(\.csv)) : json(values)
        }.joined()
    }

    private func json(_ values: ArraySlice<ArchivedValue>) -> String {
        let row = zip(columns, values).map { "\($0.jsonText):\($1.json)" }.joined(separator: ",")
        let action = rows.action.isMark ? "mark" : "delete"
        return "{\"rule\":\(part.rule.description.jsonText),\"store\":\(part.store.description.jsonText)"
            + ",\"table\":\(part.table.jsonText),\"action\":\"\(action)\",\"row\":{\(row)}}\n"
    }

    private static func line(_ cells: [String]) -> String { cells.joined(separator: ",") + "\r\n" }

    fileprivate static func quoted(_ text: String) -> String {
        let needs = text.isEmpty || text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
        return needs ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

extension ArchivedValue {
    fileprivate var json: String {
        switch self {
        case .null: "null"
        case .integer(let number): "\(number)"
        // JSON has no such number.
        case .real(let number) where !number.isFinite: "{\"real\":\"\(number)\"}"
        case .real(let number): "\(number)"
        case .text(let bytes):
            String(validating: bytes, as: UTF8.self)?.jsonText ?? "{\"base64\":\"\(bytes.base64)\"}"
        case .blob(let bytes): "{\"base64\":\"\(bytes.base64)\"}"
        }
    }

    private static let mark = "base64:"

    /// NULL is an empty cell, and an empty text one of two quotation marks. A text that begins as bytes do is written as
    /// these are.
    fileprivate var csv: String {
        switch self {
        case .null: return ""
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .text(let bytes):
            let text = String(validating: bytes, as: UTF8.self)
            return text.flatMap { $0.hasPrefix(Self.mark) ? nil : RowText.quoted($0) }
                ?? Self.mark + bytes.base64
        case .blob(let bytes): return Self.mark + bytes.base64
        }
    }
}

extension String {
    /// A JSON text. Whatever a terminal would obey is escaped.
    fileprivate var jsonText: String {
        "\"" + escaping({ $0 == "\"" || $0 == "\\" || $0.isObeyed }, as: \.jsonEscape) + "\""
    }
}

extension [UInt8] {
    fileprivate var base64: String { Data(self).base64EncodedString() }
}
