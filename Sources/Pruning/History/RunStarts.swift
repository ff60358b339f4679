import Retention

/// Decides which beginnings of rules the history keeps, so that each of them has its end there, or was killed.
///
/// A rule that deleted nothing when it last tried, as while the archive is full, may try in vain every ten minutes: its
/// beginning is kept once it has deleted something.
package struct RunStarts: Sendable {
    private var inVain: Set<Name> = []
    private var withheld: [Name: HistoryEntry] = [:]
    private var begun: Set<RunID> = []

    /// Knows of no run yet.
    package init() {}

    /// What is to be kept of a run when this has happened in it; nil when nothing is.
    package mutating func entry(
        after event: PruneEvent, in run: RunID, by initiator: Initiator
    ) -> HistoryEntry? {
        switch event {
        case .ruleStarted(let task, _, _):
            guard let entry = HistoryEntry.begun(event, in: run, by: initiator) else { return nil }
            guard !inVain.contains(task.rule.name) else {
                withheld[task.rule.name] = entry
                return nil
            }
            begun.insert(run)
            return entry
        case .batchCommitted(let report, _):
            guard report.deleted > 0, let entry = withheld.removeValue(forKey: report.rule) else {
                return nil
            }
            begun.insert(run)
            return entry
        case .ruleFinished(let report):
            withheld[report.rule] = nil
            if report.outcome != .done && report.deleted == 0 {
                inVain.insert(report.rule)
            } else {
                inVain.remove(report.rule)
            }
            return nil
        case .confirmationTaken, .waiting, .reclaiming, .reclaimFinished: return nil
        }
    }

    /// Whether a beginning was kept of a run, which has ended.
    package mutating func end(_ run: RunID) -> Bool { begun.remove(run) != nil }
}
