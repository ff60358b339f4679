import Foundation
import Pruning
import Retention
import Synchronization

/// What a run has done so far, for the report of one that ends with the process.
final class RunSoFar: Sendable {
    private let run: PruneRun
    private let begin = SystemTime.monotonic()
    private let reports = Mutex<[Name: RuleReport]>([:])

    init(_ run: PruneRun) { self.run = run }

    func record(_ event: PruneEvent) {
        let report: RuleReport
        switch event {
        case .ruleStarted(let task, let expired, let plan):
            var started = RuleReport(task)
            (started.expired, started.plan) = (expired, plan)
            report = started
        case .batchCommitted(let sofar, _), .ruleFinished(let sofar): report = sofar
        case .confirmationTaken, .waiting, .reclaiming, .reclaimFinished: return
        }
        reports.withLock { $0[report.rule] = report }
    }

    /// The report of the run that ends now, as `task` failed. Of rules that have not ended there is nothing to say.
    func report(failing task: PruneTask, with failure: StoreError) -> PruneReport {
        let known = reports.withLock { $0 }
        var failed = known[task.rule.name] ?? RuleReport(task)
        (failed.outcome, failed.failure) = (.failed, failure)
        return PruneReport(
            runID: run.id, startedAt: run.startedAt, duration: SystemTime.monotonic() - begin, dryRun: false,
            rules: [failed])
    }
}
