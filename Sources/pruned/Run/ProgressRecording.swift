import FoundationEssentials
import Ledger
import Pruning
import Retention
import Synchronization

/// Records how far the rules of a run are, for `pruned status`; at most once a second, and nothing of a run that is shorter.
final class ProgressRecording: RunObserver {
    private let ledger: Ledger
    private let rules = Mutex<[Name: Recorded]>([:])
    private static let interval = Duration.seconds(1)

    private struct Recorded {
        let since = SystemTime.now
        var at = SystemTime.monotonic()
        var isInLedger = false
    }

    init(in ledger: Ledger) { self.ledger = ledger }

    func observe(_ event: PruneEvent) {
        switch event {
        case .ruleStarted(let task, _, _): rules.withLock { $0[task.rule.name] = Recorded() }
        case .batchCommitted(let report, _):
            guard let since = due(report.rule), let expired = report.expired else { return }
            record(
                RunProgress(done: report.deleted, of: expired, since: since, at: SystemTime.now),
                of: report.rule)
        case .ruleFinished(let report):
            let last = rules.withLock { $0.removeValue(forKey: report.rule) }
            if last?.isInLedger == true { record(nil, of: report.rule) }
        case .confirmationTaken, .waiting, .reclaiming, .reclaimFinished, .remarked: break
        }
    }

    /// When the rule began, if its progress is to be recorded now.
    private func due(_ rule: Name) -> Date? {
        let now = SystemTime.monotonic()
        return rules.withLock { rules in
            guard let last = rules[rule], now - last.at >= Self.interval else { return nil }
            rules[rule]?.at = now
            rules[rule]?.isInLedger = true
            return last.since
        }
    }

    /// A ledger that cannot be written is told of when the run's end is recorded.
    private func record(_ progress: RunProgress?, of rule: Name) {
        ledger.note { try $0.setProgress(progress, of: rule) }
    }
}
