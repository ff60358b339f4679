import FoundationEssentials
import Pruning
import Retention
import Synchronization

/// What a run has done so far, for the report of one that ends with the process.
final class RunSoFar: RunObserver {
    private let run: PruneRun
    private let begin = SystemTime.monotonic()
    private let reports = Mutex((sofar: [Name: RuleReport](), ended: [RuleReport]()))

    init(_ run: PruneRun) { self.run = run }

    func observe(_ event: PruneEvent) {
        let report: RuleReport
        switch event {
        case .ruleStarted(let task, let expired, let accessPath):
            var started = RuleReport(task)
            (started.expired, started.accessPath) = (expired, accessPath)
            report = started
        case .batchCommitted(let sofar, _): report = sofar
        case .ruleFinished(let ended): return reports.withLock { $0.ended.append(ended) }
        case .confirmationTaken, .waiting, .reclaiming, .reclaimFinished: return
        }
        reports.withLock { $0.sofar[report.rule] = report }
    }

    /// Whether all rules have ended, but for those on the store of `rule`.
    func hasEnded(butFor rule: RetentionRule) -> Bool {
        let ended = Set(reports.withLock { $0.ended }.map(\.rule))
        return run.rules.allSatisfy { $0.store == rule.store || ended.contains($0.name) }
    }

    /// The report of the run that ends now, as the rule of `stuck` failed, its last one; nil where that is no rule's. Of rules
    /// that have not ended there is nothing to say.
    func report(of stuck: StuckWork) -> PruneReport? {
        guard let rule = stuck.work.rule else { return nil }
        let (known, ended) = reports.withLock { $0 }
        var failed = known[rule.name] ?? RuleReport(run.task(of: rule))
        (failed.outcome, failed.failure) = (.failed, Halt(stuck.error))
        return PruneReport(
            runID: run.id, startedAt: run.startedAt, duration: SystemTime.monotonic() - begin,
            dryRun: run.isDry, rules: ended + [failed])
    }
}
