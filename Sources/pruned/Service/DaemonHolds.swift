import Pruning
import Retention

/// How the service keeps what its guards held, and takes what people confirm.
extension Daemon {
    /// Called from a run's worker. What cannot be remembered is confirmed once more, should the run end early.
    func remember(_ event: PruneEvent) {
        guard case .confirmationTaken(let task, let seen) = event else { return }
        do {
            try holds.begin(task.rule.name, of: seen.expired, at: task.start)
        } catch {
            logger.error(error)
        }
    }

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
