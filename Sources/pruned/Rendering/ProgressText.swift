import Pruning

/// How far a rule is: "timeline: 120,000 of 1,500,000 deleted, 8%".
struct ProgressText: CustomStringConvertible {
    private let report: RuleReport

    init(_ report: RuleReport) {
        self.report = report
    }

    var description: String {
        let expired = report.expired ?? 0
        let share = expired > 0 ? ", \(report.deleted * 100 / expired)%" : ""
        let rate = Double(report.deleted) / max(0.001, report.duration.seconds)
        return "\(report.rule): \(report.deleted.grouped) of \(expired.grouped) deleted\(share),"
            + " \(Int(rate).grouped) rows/s"
    }
}
