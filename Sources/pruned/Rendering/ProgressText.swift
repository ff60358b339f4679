import Pruning

/// How far a rule is: "timeline: 120,000 of 1,500,000 deleted, 8%, 60,000 rows/s, 23 s left".
struct ProgressText: CustomStringConvertible {
    private let report: RuleReport

    init(_ report: RuleReport) {
        self.report = report
    }

    var description: String {
        let expired = report.expired ?? 0
        let share = expired > 0 ? ", \(report.deleted * 100 / expired)%" : ""
        let rate = Double(report.deleted) / max(0.001, report.duration.seconds)
        let left = Double(expired - report.deleted) / max(1, rate)
        // Nobody waits for less, and of the first moment nothing can be told.
        let wait =
            left >= 2 && report.duration >= .seconds(1) ? ", \(Duration.seconds(left).roughText) left" : ""
        return "\(report.rule): \(report.deleted.grouped) of \(expired.grouped) deleted\(share),"
            + " \(Int(rate).grouped) rows/s\(wait)"
    }
}
