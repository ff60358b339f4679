import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// A histogram as bars on a terminal, with the cutoff marked. No line is longer than the style permits.
struct HistogramText {
    let histogram: Histogram
    /// The number of rows without a plausible time.
    let implausible: Int64
    let cutoff: Date
    /// What happens to rows that go, such as "deleted".
    let fate: String
    let timeZone: Zone
    let style: TextStyle

    var lines: [String] {
        let bars = histogram.bars
        guard !bars.isEmpty || implausible > 0 else { return [] }
        let labels = bars.map(label)
        let numbers = bars.map(\.rows.grouped)
        let most = bars.map(\.rows).max() ?? 0
        let labelWidth = ([header, noTime] + labels).map(\.columns).max() ?? 0
        let numberWidth = (["rows", implausible.grouped] + numbers).map(\.columns).max() ?? 0
        let room = style.width - Self.indent.count - labelWidth - numberWidth - 4
        func line(_ label: String, _ number: String) -> String {
            Self.indent + label.padded(to: labelWidth) + "  "
                + number.padded(to: numberWidth, rightAligned: true)
        }
        var lines = [line(header, "rows")]
        for (index, bar) in bars.enumerated() {
            let drawn = drawn(bar, of: most, room: room)
            lines.append(line(labels[index], numbers[index]) + (drawn.isEmpty ? "" : "  " + drawn))
            if bar.to == cutoff { lines.append(mark) }
        }
        return lines + (implausible > 0 ? [line(noTime, implausible.grouped)] : [])
    }

    private var noTime: String { implausible > 0 ? "no such time" : "" }

    private static let indent = "  "
    /// Days are in UTC, times of day in the time zone.
    private var header: String { histogram.width.isWithinDay ? "from" : "from (UTC)" }

    private func label(_ bar: Histogram.Bar) -> String {
        guard let from = bar.from else { return bar.to.map { "before " + name($0) } ?? "all" }
        guard bar.to == nil else { return name(from) }
        return from == histogram.end ? "in the future" : "later"
    }

    /// The minute if bars are shorter than a day, otherwise the day.
    private func name(_ date: Date) -> String {
        let isWithinDay = histogram.width.isWithinDay
        return String(date.local(in: isWithinDay ? timeZone : .gmt).prefix(isWithinDay ? 16 : 10))
    }

    private var signs: (going: String, staying: String) { style.isUnicode ? ("█", "░") : ("#", ".") }

    private var mark: String {
        let line = style.isUnicode ? "─" : "-"
        let isMixed = histogram.bars.contains { $0.staying > 0 }
        let means =
            isMixed ? "older rows: \(signs.going) \(fate), \(signs.staying) stay" : "older rows expire"
        let text = " cutoff \(cutoff.local(in: timeZone)), \(means) "
        let before = String(repeating: line, count: 4)
        let rest = style.width - Self.indent.count - before.count - text.count
        let mark = Self.indent + before + text + String(repeating: line, count: max(0, rest))
        return mark.shortened(toColumns: style.width)
    }

    /// The bar, with what would be deleted before what stays.
    private func drawn(_ bar: Histogram.Bar, of most: Int64, room: Int) -> String {
        let isExpired = bar.to.map { $0 <= cutoff } ?? false
        let whole = BarText(bar.rows, of: most, room: room, style).description
        guard isExpired, bar.staying > 0 else { return coloured(whole, isExpired) }
        let share = Double(bar.staying) / Double(bar.rows)
        // Of both there is something to see.
        let going =
            bar.staying == bar.rows
            ? 0 : max(1, whole.columns - Int((Double(whole.columns) * share).rounded()))
        let left = max(1, whole.columns - going)
        return coloured(String(repeating: signs.going, count: going), true)
            + coloured(String(repeating: signs.staying, count: left), false)
    }

    private func coloured(_ bar: String, _ isExpired: Bool) -> String {
        guard style.isColoured, !bar.isEmpty else { return bar }
        return (isExpired ? "\u{1B}[31m" : "\u{1B}[32m") + bar + "\u{1B}[0m"
    }
}

/// A number as a bar, proportional to the largest number. A number above 0 has at least the smallest bar.
struct BarText: CustomStringConvertible {
    let description: String

    /// The bar for `most` takes `room` columns.
    init(_ number: Int64, of most: Int64, room: Int, _ style: TextStyle) {
        guard number > 0, most > 0 else {
            description = ""
            return
        }
        let eighths = max(1, Int((Double(number) / Double(most) * Double(room) * 8).rounded()))
        guard style.isUnicode else {
            description = String(repeating: "#", count: max(1, (eighths + 4) / 8))
            return
        }
        let part = eighths % 8 == 0 ? "" : String(Self.parts[eighths % 8 - 1])
        description = String(repeating: "█", count: eighths / 8) + part
    }

    private static let parts = Array("▏▎▍▌▋▊▉")
}
