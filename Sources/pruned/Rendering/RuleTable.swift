import Foundation
import Pruning
import TerminalText

/// The rules of a status as a table, a line each.
struct RuleTable {
    let rules: [RuleStatus]
    let timeZone: TimeZone
    let now: Date

    /// No longer than `width` columns, as long as a name says something.
    func lines(within width: Int) -> [String] {
        let rows = rules.map(cells)
        // The name takes what the others leave.
        let others = Self.header.indices.dropFirst().map { column in
            ([Self.header] + rows).map { $0[column].columns }.max() ?? 0
        }
        let name = max(8, width - others.reduce(0) { $0 + $1 + 2 })
        return TextTable(header: Self.header, rows: rows, numbers: [2, 3], widest: [name] + others).lines
    }

    private static let header = ["rule", "last run", "deleted", "took", "next run", "state"]

    private func cells(_ rule: RuleStatus) -> [String] {
        [
            rule.rule.description, rule.lastRun?.short(in: timeZone, now: now) ?? "never",
            rule.deleted?.grouped ?? "-", rule.took?.text ?? "-", next(rule.next), rule.state.rawValue,
        ]
    }

    private func next(_ next: NextRun?) -> String {
        switch next {
        case .at(let date): date.short(in: timeZone, now: now)
        case .now: "now"
        case .waits(.confirmation): "confirm it"
        case .waits(.archive): "archive full"
        case .waits(.leases): "leases end"
        case .waits(.clock): "clock wrong"
        case .waits(.retry): "soon again"
        case nil: "-"
        }
    }
}
