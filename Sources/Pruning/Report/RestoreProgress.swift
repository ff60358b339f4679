import FoundationEssentials
import Retention

/// What became of the rows that were to be put back.
package struct RestoreProgress: Codable, Sendable {
    let outcome: Outcome
    let restored: Int64
    let skipped: [RestoreSkip: Int64]
    let failure: Halt?

    package init(_ report: RestoreReport) {
        (outcome, failure) = (report.outcome, report.failure)
        (restored, skipped) = (report.restored, report.skipped)
    }

    /// The report of `part`; nil if that cannot be.
    package func report(of part: ArchivedPart, leaseEnd: Date) -> RestoreReport? {
        guard ([restored] + skipped.values).allSatisfy(\.isCount), (failure == nil) == (outcome == .done)
        else { return nil }
        var report = RestoreReport(part, leaseEnd: leaseEnd)
        (report.outcome, report.failure) = (outcome, failure?.cleaned)
        (report.restored, report.skipped) = (restored, skipped)
        return report
    }
}
