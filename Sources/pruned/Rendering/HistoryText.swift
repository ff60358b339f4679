import Foundation
import Pruning
import Systemd
import TerminalText

/// A history as a person reads it: a line for each rule that did something, the newest last, and below it why it ended
/// as it did.
struct HistoryText: CustomStringConvertible {
    private let rows: [HistoryRow]
    private let style: TextStyle

    /// Shows times by the clock of `timeZone`.
    init(_ entries: [HistoryEntry], timeZone: TimeZone, style: TextStyle) {
        rows = entries.flatMap { HistoryRow.rows(of: $0, in: timeZone) }
        self.style = style
    }

    private static let header = ["when", "what", "outcome", "deleted", "took", "by"]
    /// Together with what is between them no more than a terminal has; a longer name is cut off.
    private static let widest = [16, 22, 9, 10, 9, 8]
    private static let numbers: Set<Int> = [3, 4]

    var description: String {
        guard !rows.isEmpty else { return "no runs yet\n" }
        var widest = Self.widest
        widest[1] = max(8, widest[1] - (80 - style.width))
        let table = TextTable(
            header: Self.header, rows: rows.map { $0.cells.map(\.onOneLine) }, numbers: Self.numbers,
            widest: widest, gap: " "
        ).lines
        let lines =
            table.prefix(1)
            + zip(table.dropFirst(), rows).flatMap { line, row in
                [line] + row.notes.flatMap { $0.onOneLine.fitted(to: style.width - 4).map { "    " + $0 } }
            }
        return lines.map { $0 + "\n" }.joined()
    }
}
