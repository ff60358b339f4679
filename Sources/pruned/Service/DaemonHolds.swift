import Pruning
import Retention

/// How the service keeps what its guards held.
extension Daemon {
    func rememberHolds(_ report: PruneReport, _ rules: [RetentionRule], _ state: inout State) {
        do {
            try holds.record(
                report.rules, at: report.startedAt, announced: news.holds.announcements(of: report.rules))
        } catch {
            if let first = report.rules.first, news.isNews(first.rule, "holds", error.cause) {
                logger.error(error)
            }
            rest(rules, after: report, &state)
        }
    }
}
