import Pruning
import TerminalText

/// What was deleted in the last two weeks, a bar for each day; no line is longer than the style has it.
struct DeletionsText {
    let deletions: DailyDeletions
    let style: TextStyle

    var lines: [String] {
        guard deletions.total > 0 else { return ["rows deleted in two weeks: none"] }
        let numbers = deletions.days.map(\.rows.grouped)
        let most = deletions.days.map(\.rows).max() ?? 0
        let width = numbers.map(\.columns).max() ?? 0
        let rows = zip(deletions.days, numbers).map { day, number in
            let begin = "  \(day.day)  " + number.padded(to: width, rightAligned: true)
            let bar = BarText(day.rows, of: most, room: style.width - begin.columns - 2, style).description
            return bar.isEmpty ? begin : begin + "  " + bar
        }
        return ["rows deleted in two weeks: \(deletions.total.grouped)"] + rows
    }
}
