import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// The rules of a status as a table.
struct RuleTable {
    let rules: [RuleStatus]
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
        let changed = rules.allSatisfy(\.marks) ? "marked" : "deleted"
        return ["rule", "last run", changed, "took", isServing ? "next run" : "due", "state"]
            + (hasDays ? ["two weeks"] : [])
    }

    private func cells(_ rule: RuleStatus) -> [String] {
        [
            rule.rule.description, rule.lastRun?.short(in: timeZone, now: now) ?? "never",
            rule.deleted?.grouped ?? "-", rule.took?.text ?? "-", next(rule.next), rule.state.rawValue,
        ] + (hasDays ? [rule.deletions.map(Self.sparkline) ?? ""] : [])
    }

    /// ASCII has no such signs.
    private var hasDays: Bool { style.isUnicode && rules.contains { $0.deletions != nil } }

    /// The rows of each day, today last.
    static func sparkline(_ deletions: DailyDeletions) -> String {
        let most = max(1, deletions.days.map(\.rows).max() ?? 0)
        return String(
            deletions.days.map { day in
                day.rows == 0 ? "·" : blocks[Int((Double(day.rows) / Double(most) * 7).rounded())]
            })
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
