import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// A report as text: a table with one line for each rule, and notes below.
struct ReportText: CustomStringConvertible {
    /// Why rows stay whose time says nothing. NULL and 0 often mean that something has not happened yet.
    static let noTime = "they have no time in the rule's unit (NULL, 0 or another kind)"

    private let report: PruneReport

    private let length: ScreenLength
    private let timeZone: Zone
    private let style: TextStyle

    /// What the run came to, for each store.
    private let closings: [StoreClosing]

    /// Shows times in `timeZone`.
    init(_ report: PruneReport, _ closings: [StoreClosing] = [], timeZone: Zone, style: TextStyle) {
        self.report = report
        length = ScreenLength(ofStores: Set(report.rules.map(\.store)).count, all: false)
        self.closings = closings
        self.timeZone = timeZone
        self.style = style
    }

    var description: String {
        let lines =
            headline.fitted(to: style.tableWidth) + summary + (table.isEmpty ? [] : [""] + table) + notes
        let end = closings.flatMap { $0.description.onOneLine.fitted(to: style.tableWidth) }
        return (lines + (end.isEmpty ? [] : [""] + end)).joined(separator: "\n") + "\n"
    }

    private var headline: String {
        guard !report.dryRun else {
            let expired = ChangedRows(report.rules) { $0.outcome == .done ? $0.expired ?? 0 : 0 }
            return "dry run \(report.runID): would \(expired.infinitive), counted in \(report.duration.text)"
        }
        let total = ChangedRows(report.rules) { $0.deleted + $0.dependentsDeleted }
        return
            "run \(report.runID): \(report.outcome.rawValue), \(total.participle) in \(report.duration.text)"
    }

    /// How many rules have which outcome, where not all are shown.
    private var summary: [String] {
        length.isWhole ? [] : "\(report.outcomes); --json has them all".fitted(to: style.tableWidth)
    }

    private var shownRules: [RuleReport] {
        length.isWhole ? report.rules : report.rules.filter { $0.outcome != .done }
    }

    private var table: [String] {
        guard !shownRules.isEmpty || report.rules.isEmpty else { return [] }
        let changed = !report.rules.isEmpty && report.rules.allSatisfy(\.marks) ? "marked" : "deleted"
        let header = ["rule", "outcome", report.dryRun ? "expired" : changed, "kept", "before", "took"]
        let rows = shownRules.map { rule in
            [
                rule.rule.description, report.dryRun ? rule.outcome.prediction : rule.outcome.rawValue,
                report.dryRun ? number(rule.expired) : rule.deleted.grouped, number(rule.kept),
                rule.cutoff.local(in: timeZone), rule.duration.text,
            ]
        }
        return TextTable(header: header, rows: rows, numbers: [2, 3, 5], dispensable: [4, 5, 3])
            .lines(within: style.tableWidth) { style.shown($0, row: $1, column: $2, states: 1) }
    }

    private func number(_ value: Int64?) -> String { value?.grouped ?? "-" }

    private var notes: [String] {
        let notes =
            report.rules.flatMap { rule in
                let left = (rule.expired ?? 0) - rule.deleted
                return [
                    rule.dependentsDeleted > 0
                        ? "\(rule.dependentsDeleted.grouped) dependents were deleted with them" : nil,
                    rule.returned.map { [$0.text, $0.hint].compactMap(\.self).joined(separator: "; ") },
                    rule.outcome != .done && !report.dryRun && left > 0
                        ? "\(left.grouped) expired \(left == 1 ? "row is" : "rows are") left" : nil,
                    rule.outcome == .done && !report.dryRun && left > 0
                        ? "\(left.grouped) rows were expired when the run began, and the app changed or deleted them"
                        : nil,
                    rule.keptImplausible > 0
                        ? "\(rule.keptImplausible.grouped) rows stay: \(Self.noTime)"
                        : nil,
                ].compactMap { note in note.map { "\(rule.rule): \($0)" } }
            } + report.reclaims.map { ReclaimText($0).description }
            + report.remarks.map { "\($0.store): \($0.text)" }
        return notes.isEmpty ? [] : [""] + notes.flatMap { $0.onOneLine.fitted(to: style.tableWidth) }
    }
}
