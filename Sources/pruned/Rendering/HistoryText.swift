import FoundationEssentials
import Pruning
import Retention
import Systemd
import TerminalText

/// A history as a person reads it: a line for each rule that did something, the newest last, and below it why it ended
/// as it did.
struct HistoryText: CustomStringConvertible {
    private let rows: [HistoryRow]
    private let style: TextStyle

    /// Shows times by the clock of `timeZone`.
    init(_ entries: [HistoryEntry], timeZone: Zone, style: TextStyle) {
        rows = entries.flatMap { HistoryRow.rows(of: $0, in: timeZone) }
        self.style = style
    }

    private static let header = ["when", "what", "outcome", "deleted", "took", "by"]
    /// Of who ran it on a screen; a longer name is cut off.
    private static let widest = [16, .max, 9, .max, .max, 8]
    private static let numbers: Set<Int> = [3, 4]

    var description: String {
        guard !rows.isEmpty else { return "no runs yet\n" }
        let table = TextTable(
            header: Self.header, rows: rows.map { $0.cells.map(\.onOneLine) }, numbers: Self.numbers,
            widest: style.isScreen ? Self.widest : [], gap: " ", name: 1, dispensable: [4, 5, 3]
        ).lines(within: style.tableWidth) { style.shown($0, row: $1, column: $2, states: 2) }
        let lines =
            table.prefix(1)
            + zip(table.dropFirst(), rows).flatMap { line, row in
                [line] + row.notes.flatMap { style.fitted($0.onOneLine, indent: 4).map { "    " + $0 } }
            }
        return lines.map { $0 + "\n" }.joined()
    }
}
