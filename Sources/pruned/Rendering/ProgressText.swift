import Pruning
import TerminalText

/// How far a rule is: "timeline: 120,000 of 1,500,000 deleted, 8%, 60,000 rows/s, 23 s left".
struct ProgressText: CustomStringConvertible {
    private let report: RuleReport

    init(_ report: RuleReport) {
        self.report = report
    }

    var description: String { "\(report.rule): \(counts), \(pace)" }

    /// The same in so many columns. Of a long name the end is cut off, and then the counts go: how fast it is, and how long
    /// it will take, is what a person looks for.
    func fitted(to columns: Int) -> String {
        let facts = [counts + ", " + pace, pace].first { $0.columns + Self.leastName + 2 <= columns } ?? pace
        let name = report.rule.description.shortened(toColumns: max(1, columns - facts.columns - 2))
        return "\(name): \(facts)".shortened(toColumns: columns)
    }

    /// Less of a name is no name.
    private static let leastName = 12

    private var expired: Int64 { report.expired ?? 0 }
    private var counts: String { "\(report.deleted.grouped) of \(expired.grouped) deleted" }

    /// The share, the rate, and the time that is left.
    private var pace: String {
        let share = expired > 0 ? "\(report.deleted * 100 / expired)%, " : ""
        let pace = Pace(report)
        let wait = pace.left.map { ", \($0.roughText) left" } ?? ""
        return "\(share)\(Int(pace.rowsPerSecond).grouped) rows/s\(wait)"
    }
}
