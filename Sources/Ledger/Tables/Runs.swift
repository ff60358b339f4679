import FoundationEssentials
import Pruning
import Retention

/// What a run leaves.
extension LedgerTables {
    /// Takes in what became of `rules`, on the stores at `places`, in a run that has ended: which need not run again for a
    /// while, and which are held; and by which clock. `announced`: when holds were last said.
    package func remember(
        _ report: PruneReport, of rules: [RetentionRule], on places: [Name: String],
        announced: [Name: Date] = [:], by clock: ClockGuard
    ) throws {
        if let reading = clock.newReading(after: try lastBelieved()) { try recordClock(reading) }
        try recordRuns(
            of: report.done(of: rules), at: report.startedAt, on: places, reports: report.rules)
        try recordHolds(report.rules, at: report.startedAt, announced: announced)
    }
}
