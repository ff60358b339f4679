import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// The rules of a status as a table.
struct RuleTable {
    /// The rules; a row for those of one state that stores of a family have in common.
    let rules: [[RuleStatus]]
    /// Whether a service runs, which retries rules by itself.
    let isServing: Bool
    let timeZone: Zone
    let now: Date
    let style: TextStyle

    var lines: [String] {
        TextTable(
            header: header, rows: rules.map(cells), numbers: [2, 3],
            dispensable: [6, 3, 2, 1].filter(header.indices.contains)
        ).lines(within: style.tableWidth) { style.shown($0, row: $1, column: $2, states: 5) }
    }

    /// Without a service, rules only become due. A run by hand or by the timer then runs them.
    private var header: [String] {
        let changed = rules.joined().allSatisfy(\.marks) ? "marked" : "deleted"
        return ["rule", "last run", changed, "took", isServing ? "next run" : "due", "state"]
            + (hasDays ? ["two weeks"] : [])
    }

    private func cells(_ group: [RuleStatus]) -> [String] {
        let rule = group[0]
        let isOne = group.count == 1
        let (deleted, took) = (group.compactMap(\.deleted), group.compactMap(\.took))
        let dates = group.compactMap { if case .at(let date) = $0.next { date } else { nil } }
        let next = dates.count == group.count ? dates.min().map(NextRun.at) : rule.next
        return [
            isOne ? "\(rule.rule)" : rule.general("\(rule.rule)") + " (\(group.count))",
            group.compactMap(\.lastRun).max()?.short(in: timeZone, now: now) ?? "never",
            deleted.isEmpty ? "-" : deleted.reduce(0, +).grouped,
            took.isEmpty ? "-" : took.reduce(.zero, +).text, self.next(next), rule.state.rawValue,
        ] + (hasDays ? [Self.sparkline(group.compactMap(\.deletions))] : [])
    }

    /// ASCII has no such signs.
    private var hasDays: Bool { style.isUnicode && rules.joined().contains { $0.deletions != nil } }

    /// The rows of each day, of all rules together, today last.
    static func sparkline(_ deletions: [DailyDeletions]) -> String {
        guard let first = deletions.first else { return "" }
        let rows = first.days.indices.map { day in
            deletions.reduce(0) { $0 + ($1.days.indices.contains(day) ? $1.days[day].rows : 0) }
        }
        let most = max(1, rows.max() ?? 0)
        return String(rows.map { $0 == 0 ? "·" : blocks[Int((Double($0) / Double(most) * 7).rounded())] })
    }

    private static let blocks = Array("▁▂▃▄▅▆▇█")

    private func next(_ next: NextRun?) -> String {
        switch next {
        case .at(let date): date.short(in: timeZone, now: now)
        case .now: "now"
        case .waits(.confirmation): "confirm it"
        case .waits(.archive): "archive full"
        case .waits(.leases): "leases end"
        case .waits(.clock): "clock wrong"
        case .waits(.nextRun): "next run"
        case .waits(.retry): isServing ? "soon again" : "when it runs"
        case nil: "-"
        }
    }
}
