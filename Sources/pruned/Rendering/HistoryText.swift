import Foundation
import Pruning
import Systemd

/// A history as a person reads it: a line for each rule that did something, the newest last, and below it why it ended
/// as it did.
struct HistoryText: CustomStringConvertible {
    private let rows: [HistoryRow]
    private let timeZone: TimeZone

    /// Shows times by the clock of `timeZone`.
    init(_ entries: [HistoryEntry], timeZone: TimeZone) {
        rows = entries.flatMap { HistoryRow.rows(of: $0, in: timeZone) }
        self.timeZone = timeZone
    }

    private static let header = ["when", "what", "outcome", "deleted", "took", "by"]
    /// Together with what is between them no more than a terminal has; a longer name is cut off.
    private static let widest = [16, 22, 9, 10, 9, 8]
    private static let numbers: Set<Int> = [3, 4]
    private static let width = 80

    var description: String {
        guard !rows.isEmpty else { return "nothing yet\n" }
        let table = [Self.header] + rows.map(\.cells)
        let widths = Self.header.indices.map { column in
            min(Self.widest[column], table.map { $0[column].onOneLine.count }.max() ?? 0)
        }
        var lines = [line(Self.header, widths)]
        for row in rows {
            lines.append(line(row.cells, widths))
            for note in row.notes { lines += wrapped(note.onOneLine) }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column in
            let cell = cells[column].onOneLine
            let fitting = cell.count > widths[column] ? cell.prefix(widths[column] - 1) + "…" : cell[...]
            return String(fitting).padded(to: widths[column], rightAligned: Self.numbers.contains(column))
        }
        return padded.joined(separator: " ").trimmingCharacters(in: .whitespaces)
    }

    /// The text in lines that are not too long, but for a word that is.
    private func wrapped(_ text: String) -> [String] {
        let indent = "    "
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= Self.width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(indent + word)
            }
        }
        return lines
    }
}
