import FoundationEssentials
import Pruning
import Retention
import Synchronization

/// A run and its observers. Runs by hand and runs of the service are observed in the same way.
struct ObservedRun {
    let run: PruneRun
    let control: RunControl
    let observers: [any RunObserver]

    /// Executes the run. If work gets stuck, calls `end`, which must end the process. It gets the stuck work, and the
    /// report of the run so far with the failed rule as its last. The report is nil if the work belongs to no rule.
    func execute(ifStuck end: @escaping @Sendable (StuckWork, PruneReport?) -> Never) -> PruneReport {
        let soFar = RunSoFar(run)
        let timer = WorkTimer(control) { [control] stuck in
            control.requestStop(stuck.stopReason)
            if let rule = stuck.work.rule { WorkTimer.wait { soFar.hasEnded(butFor: rule) } }
            end(stuck, soFar.report(of: stuck))
        }
        defer { timer.cancel() }
        return run.execute { [observers] event in
            soFar.observe(event)
            for observer in observers { observer.observe(event) }
        }
    }

    /// Tells the observers about the rule that ended the process. Call this last, since a reader that does not read may
    /// block the write.
    static func tell(_ observers: [any RunObserver], endOf report: PruneReport) {
        guard let stuck = report.rules.last else { return }
        for observer in observers { observer.observe(.ruleFinished(stuck)) }
    }
}

/// Receives the events of one run, from its worker threads.
protocol RunObserver: Sendable {
    func observe(_ event: PruneEvent)
}

extension BatchLockTimes: RunObserver {
    func observe(_ event: PruneEvent) { record(event) }
}

extension ProgressLine: RunObserver {
    func observe(_ event: PruneEvent) { show(event) }
}

/// Collects what a run has done so far, for the report of a run that ends with the process.
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
        case .confirmationTaken, .waiting, .reclaiming, .reclaimFinished, .remarked: return
        }
        reports.withLock { $0.sofar[report.rule] = report }
    }

    /// Whether all rules have ended, except those on the store of `rule`.
    func hasEnded(butFor rule: RetentionRule) -> Bool {
        let ended = Set(reports.withLock { $0.ended }.map(\.rule))
        return run.rules.allSatisfy { $0.store == rule.store || ended.contains($0.name) }
    }

    /// The report of a run that ends because of `stuck`; nil if that work belongs to no rule. The failed rule is the
    /// last one. Rules that have not ended are left out.
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
