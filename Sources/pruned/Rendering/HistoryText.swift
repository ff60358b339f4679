import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// A history as text: a line for each rule that did something, newest last. Below it are the reasons for its outcome.
struct HistoryText: CustomStringConvertible {
    private let rows: [HistoryRow]
    private let style: TextStyle

    /// Shows times in `timeZone`. `policy` tells which runs have rows in the archive; without it none is said to.
    init(_ entries: [HistoryEntry], policy: RetentionPolicy?, timeZone: Zone, style: TextStyle) {
        let now = SystemTime.now
        rows = entries.flatMap { entry in
            let rule = entry.rule.flatMap { Name($0) }.flatMap { policy?.rule(named: $0) }
            return HistoryRow.rows(of: entry, marks: rule?.action.isMark ?? false, in: timeZone) { rule in
                policy.map { rule.isArchived(by: $0, from: entry.time, at: now) } ?? false
            }
        }
        self.style = style
    }

    private static let header = ["when", "what", "outcome", "deleted", "took", "by"]
    /// The column widths on a screen. A longer user name is cut off.
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

/// A line of the history's table, and the notes below it.
struct HistoryRow {
    let cells: [String]
    var notes: [String] = []

    /// The lines of an entry: one, or one for each rule with something to report. `marks` says whether the entry's rule
    /// marks rows.
    static func rows(
        of entry: HistoryEntry, marks: Bool, in timeZone: Zone, isArchived: (RuleRecord) -> Bool
    ) -> [HistoryRow] {
        let by = entry.by == .service ? "service" : entry.user ?? "hand"
        let row = { (what: String, outcome: String, deleted: String, took: String, notes: [String?]) in
            HistoryRow(
                cells: [minute(entry.time, timeZone), what, outcome, deleted, took, by],
                notes: notes.compactMap(\.self))
        }
        let expired = entry.expired.map { $0.counted("row") } ?? "rows"
        let rule = entry.rule ?? "all rules"
        switch entry.kind {
        case .run: return runRows(of: entry, isArchived, row)
        case .begun:
            return [row(rule, "begun", "?", "", ["\(expired) had expired; the run goes on, or was killed"])]
        case .quiet:
            return quietRows(of: entry, since: entry.since.map { minute($0, timeZone) }, row)
        case .confirmed:
            let day = entry.cutoffDay.map { ", with a cutoff on \($0)" } ?? ""
            let of = entry.rows.map { " of \($0.grouped)" } ?? ""
            return [
                row(
                    rule, "confirmed", "", "",
                    ["\(expired)\(of) may be \(marks ? "marked" : "deleted")\(day)"])
            ]
        case .restored:
            let skipped = entry.skipped.map { $0 > 0 ? ", \($0.grouped) skipped" : "" } ?? ""
            let run = entry.runID ?? "?"
            return [
                row(
                    rule, "restored", "", "",
                    ["\(entry.restored?.counted("row") ?? "? rows") of run \(run)" + skipped])
            ]
        case .trusted: return [row("clock", "trusted", "", "", [entry.reason ?? "no evidence against it"])]
        case .refused: return [row("configuration", "refused", "", "", [entry.reason, entry.hint])]
        }
    }

    /// One line for all rules that had nothing to delete, and one for each that ended otherwise, as it did before.
    private static func quietRows(
        of entry: HistoryEntry, since: String?,
        _ row: (String, String, String, String, [String?]) -> HistoryRow
    ) -> [HistoryRow] {
        func times(_ runs: Int) -> String? {
            runs == 1 ? nil : "\(runs) runs" + (since.map { " since \($0)" } ?? "")
        }
        let repeats = entry.repeats ?? []
        let done = repeats.filter { $0.outcome == .done }
        var rows = repeats.filter { $0.outcome != .done }.map { repeated in
            let note = ["as before", times(repeated.runs)].compactMap(\.self).joined(separator: ", ")
            return row(repeated.rule, repeated.outcome.rawValue, "0", "", [note])
        }
        guard let first = done.first else { return rows }
        let what = done.count == 1 ? first.rule : "\(done.count) rules"
        let most = done.map(\.runs).max() ?? 1
        rows.append(row("\(what): nothing to delete", Outcome.done.rawValue, "0", "", [times(most)]))
        return rows
    }

    private static func runRows(
        of entry: HistoryEntry, _ isArchived: (RuleRecord) -> Bool,
        _ row: (String, String, String, String, [String?]) -> HistoryRow
    ) -> [HistoryRow] {
        let rules = entry.rules ?? []
        let telling = rules.filter {
            $0.deleted > 0 || $0.outcome != .done || $0.keptImplausible > 0 || $0.cameBack ?? 0 > 0
        }
        let took = { (milliseconds: Double) in Duration.milliseconds(milliseconds).text }
        var rows = telling.map { rule in
            let dependents = rule.dependentsDeleted
            return row(
                rule.rule, rule.outcome.rawValue, rule.deleted.grouped, took(rule.durationMilliseconds),
                [
                    isArchived(rule) ? entry.runID.map { "archived: pruned restore \($0)" } : nil,
                    dependents > 0 ? "\(dependents.grouped) dependents were deleted with them" : nil,
                    ReturnedRows(rule.cameBack)?.text,
                    rule.keptImplausible > 0
                        ? "\(rule.keptImplausible.grouped) rows stay: \(ReportText.noTime)"
                        : nil,
                    rule.reason, rule.hint,
                ])
        }
        rows += (entry.reclaimed ?? []).map { store in
            let gave = store.reclaimedBytes > 0 ? "gave back \(store.reclaimedBytes.bytes)" : nil
            return row(
                store.store, store.outcome.rawValue, "", took(store.durationMilliseconds),
                [gave, store.reason, store.hint])
        }
        guard rows.isEmpty else { return rows }
        let what = rules.count == 1 ? rules[0].rule : "\(rules.count) rules"
        return [
            row(
                "\(what): nothing to delete", entry.outcome?.rawValue ?? "", "0",
                took(entry.durationMilliseconds ?? 0), [])
        ]
    }

    private static func minute(_ date: Date, _ timeZone: Zone) -> String {
        String(date.local(in: timeZone).dropLast(3))
    }
}
