import Foundation
import Pruning

/// A report as a person reads it: one line a rule, aligned, and what is wrong below.
struct ReportText: CustomStringConvertible {
    private let report: PruneReport

    init(_ report: PruneReport) {
        self.report = report
    }

    var description: String {
        ([headline, ""] + table + notes).joined(separator: "\n") + "\n"
    }

    private var headline: String {
        let verb = report.dryRun ? "dry run" : "run"
        let total = report.rules.reduce(0) { $0 + $1.deleted + $1.dependentsDeleted }
        let deleted = report.dryRun ? "nothing deleted" : "\(total.grouped) rows deleted"
        return "\(verb) \(report.runID): \(report.outcome.rawValue), \(deleted) in \(report.duration.text)"
    }

    private var table: [String] {
        let header = ["rule", "outcome", "expired", "deleted", "with them", "kept", "cutoff", "took"]
        let rows = report.rules.map { rule in
            [
                rule.rule.description, rule.outcome.rawValue, number(rule.expired), rule.deleted.grouped,
                rule.dependentsDeleted.grouped, number(rule.kept), rule.cutoff.iso8601, rule.duration.text,
            ]
        }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([header] + rows).map { cells in
            cells.indices.map { column in
                cells[column].padded(to: widths[column], rightAligned: Self.numbers.contains(column))
            }.joined(separator: "  ")
        }
    }

    private static let numbers: Set<Int> = [2, 3, 4, 5, 7]

    private func number(_ value: Int64?) -> String { value?.grouped ?? "-" }

    private var notes: [String] {
        let odd = report.rules.filter { $0.keptImplausible > 0 }.map { rule in
            "\(rule.rule): \(rule.keptImplausible.grouped) rows stay because their time is not one in the rule's unit"
        }
        return odd.isEmpty ? [] : [""] + odd
    }
}

extension PruneReport {
    /// The report as one JSON object on one line.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
