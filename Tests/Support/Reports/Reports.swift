import Foundation
import Pruning
import Retention

/// Makes reports like those of runs, for tests of the history.
package enum Reports {
    package static let service = Initiator(.service, user: "pruned")
    package static let hand = Initiator(.hand, user: "alice")

    package static func task(_ rule: Name) -> PruneTask {
        PruneTask(
            RetentionRule(
                name: rule, store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day))),
            start: runStart, in: .gmt)
    }

    package static func rule(
        _ name: Name = "r", _ outcome: Outcome = .done, deleted: Int64 = 0, _ kind: Halt.Kind? = nil,
        cause: String = "why", implausible: Int64 = 0
    ) -> RuleReport {
        let failure = kind.map {
            Halt($0, operation: "run rule \(name)", place: "/s", cause: cause, hint: "hint")
        }
        var report = RuleReport(task(name), outcome: outcome, failure: failure)
        report.deleted = deleted
        report.keptImplausible = implausible
        return report
    }

    /// The last attempt of the first rule of `report`, which has had the same outcome since `since`.
    package static func attempt(_ report: PruneReport, since: Date? = nil) -> LastAttempt {
        LastAttempt(
            began: report.startedAt, record: HistoryEntry.run(report, by: hand).rules?.first, since: since)
    }

    package static func run(
        _ rules: RuleReport..., reclaims: [ReclaimReport] = [], after seconds: TimeInterval = 0,
        seed: UInt64 = 1
    ) -> PruneReport {
        var generator = SeededGenerator(seed: seed)
        let start = runStart.addingTimeInterval(seconds)
        return PruneReport(
            runID: RunID(start: start, using: &generator), startedAt: start, duration: .milliseconds(12),
            dryRun: false, rules: rules, reclaims: reclaims)
    }
}
