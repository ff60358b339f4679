import Foundation
import Pruning
import Retention

/// A hold is said when it begins, when what is held becomes something else, and once a day while it lasts.
extension News {
    private static let subject = "hold"
    private static let interval: TimeInterval = 86_400

    /// Whether the hold of a rule that was held is to be said now.
    func isNews(holdOf report: RuleReport) -> Bool {
        let kind = report.held?.kind ?? "\(report.failure?.kind ?? .held)"
        return isNews(report.rule, Self.subject, kind, again: Self.interval)
    }

    /// The next hold of the rule is another one.
    func holdHasEnded(of rule: Name) {
        forget(rule, Self.subject)
    }

    /// When holds were last said, by rule.
    func announcements(of reports: [RuleReport]) -> [Name: Date] {
        var dates: [Name: Date] = [:]
        for report in reports where report.held != nil {
            dates[report.rule] = lastSaid(report.rule, Self.subject)
        }
        return dates
    }

    /// Takes over what was said of `holds` before the service was started.
    func recall(_ holds: [Name: Hold]) {
        for (rule, hold) in holds {
            guard let date = hold.announcedAt else { continue }
            recall(rule, Self.subject, hold.seen.kind, at: date)
        }
    }
}
