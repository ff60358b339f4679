import FoundationEssentials
import Pruning

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
