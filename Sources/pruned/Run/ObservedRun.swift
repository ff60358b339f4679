import FoundationEssentials
import Pruning
import Retention
import Synchronization

/// A run and all that hears of it: by hand or in the service, it is watched in the same way.
struct ObservedRun {
    let run: PruneRun
    let control: RunControl
    let observers: [any RunObserver]

    /// Executes the run. Work that nothing else can end is ended by `end`, which ends the process: it is told the work,
    /// and what the run did until then, its last rule the one that failed. There is no report where that is no rule's work.
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

    /// Tells the observers of the rule that ended the process. To be called last: whoever should read it may keep it from being
    /// written.
    static func tell(_ observers: [any RunObserver], endOf report: PruneReport) {
        guard let stuck = report.rules.last else { return }
        for observer in observers { observer.observe(.ruleFinished(stuck)) }
    }
}

/// Hears what happens in one run, from its workers.
protocol RunObserver: Sendable {
    func observe(_ event: PruneEvent)
}

extension BatchLockTimes: RunObserver {
    func observe(_ event: PruneEvent) { record(event) }
}

extension ProgressLine: RunObserver {
    func observe(_ event: PruneEvent) { show(event) }
}

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
