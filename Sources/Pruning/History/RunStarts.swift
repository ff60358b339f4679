import Retention

/// Decides which beginnings of rules the history records, so that a recorded beginning without an end means a killed
/// run.
///
/// A rule that failed to delete anything in its last attempt, for example while the archive is full, may try again
/// every ten minutes. Its beginning is recorded only once it has deleted something.
package struct RunStarts: Sendable {
    private var inVain: Set<Name> = []
    private var withheld: [Name: HistoryEntry] = [:]
    private var begun: Set<RunID> = []

    package init() {}

    /// The entry to record after `event`; nil when there is none.
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
        case .confirmationTaken, .waiting, .reclaiming, .reclaimFinished, .remarked: return nil
        }
    }

    /// Whether a beginning of the run was recorded. Call it once, when the run has ended.
    package mutating func end(_ run: RunID) -> Bool { begun.remove(run) != nil }
}
