import FoundationEssentials
import Retention

/// Makes entries from events.
extension HistoryEntry {
    /// A run has ended.
    package static func run(_ report: PruneReport, by initiator: Initiator) -> HistoryEntry {
        var entry = HistoryEntry(.run, at: report.startedAt, by: initiator)
        entry.runID = report.runID.description
        entry.outcome = report.outcome
        entry.durationMilliseconds = report.duration.milliseconds
        entry.rules = report.rules.map(RuleRecord.init)
        entry.reclaimed = report.reclaims.isEmpty ? nil : report.reclaims.map(ReclaimRecord.init)
        entry.sizes = report.sizes.isEmpty ? nil : report.sizes
        return entry
    }

    /// The entry for a beginning, needed in case the run is killed; nil for events that the run's end will tell.
    package static func begun(_ event: PruneEvent, in run: RunID, by initiator: Initiator) -> HistoryEntry? {
        guard case .ruleStarted(let task, let expired, _) = event else { return nil }
        var entry = HistoryEntry(.begun, at: task.start, by: initiator)
        entry.runID = run.description
        entry.rule = task.rule.name.description
        (entry.store, entry.table) = (task.rule.store.description, task.rule.table)
        entry.expired = expired
        return entry
    }

    /// A person has confirmed what a guard saw of a rule. `run` is the run that was started with the confirmation, if
    /// any.
    package static func confirmed(
        _ seen: HeldRule, of rule: Name, at date: Date, in run: RunID? = nil, by initiator: Initiator
    ) -> HistoryEntry {
        var entry = HistoryEntry(.confirmed, at: date, by: initiator)
        entry.runID = run?.description
        entry.rule = rule.description
        entry.expired = seen.expired
        entry.rows = seen.rows
        entry.cutoffDay = seen.cutoffDay
        return entry
    }

    /// Rows that the run with the id `run` had deleted were put back, except `skipped` of them. `rule` limits this to
    /// one rule's rows.
    package static func restored(
        _ restored: Int64, skipped: Int64, ofRun run: String, rule: Name? = nil, at date: Date,
        by initiator: Initiator
    ) -> HistoryEntry {
        var entry = HistoryEntry(.restored, at: date, by: initiator)
        entry.runID = run
        entry.rule = rule?.description
        entry.restored = restored
        entry.skipped = skipped
        return entry
    }

    /// A person vouched for the clock at `date`, the clock's own time. `doubt` is what spoke against it.
    package static func trusted(
        at date: Date, against doubt: ClockDoubt?, by initiator: Initiator
    ) -> HistoryEntry {
        var entry = HistoryEntry(.trusted, at: date, by: initiator)
        entry.reason = doubt?.cause
        return entry
    }

    /// A configuration was refused.
    package static func refused(
        _ reason: String, hint: String?, at date: Date, by initiator: Initiator
    ) -> HistoryEntry {
        var entry = HistoryEntry(.refused, at: date, by: initiator)
        entry.reason = reason
        entry.hint = hint
        return entry
    }
}
