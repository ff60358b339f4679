import FoundationEssentials
import Retention

/// A rule in one run, with its cutoff fixed.
package struct PruneTask: Codable, Hashable, Sendable {
    package let rule: RetentionRule
    /// Rows with an earlier time have expired.
    package let cutoff: Date
    /// When the run began. The cutoff is computed from it.
    package let start: Date
    /// The time zone of the days and months in the rule.
    package let timeZone: Zone
    /// The run that the task belongs to; nil for a task outside of a run, which archives nothing.
    package var runID: RunID?
    /// In a dry run, the earlier tasks on the same store, in running order. Their rows are presumed deleted, as in a
    /// real run.
    package var presumedDone: [PruneTask]
    /// When the rule's hours end in which its run began; nil if the run need not keep them.
    package var closes: Date?

    /// The rule's task in a run that begins at `start`.
    package init(_ rule: RetentionRule, start: Date, in timeZone: Zone, presumedDone: [PruneTask] = []) {
        self.rule = rule
        runID = nil
        self.start = start
        self.timeZone = timeZone
        cutoff = rule.expiry.cutoff(at: start, in: timeZone)
        self.presumedDone = presumedDone
    }

    /// The values of the time column that count as expired.
    package var window: ExpiryWindow { ExpiryWindow(cutoff: cutoff, rule.time) }
}

/// How the batches of a rule find their rows.
package enum AccessPath: String, Codable, CaseIterable, Sendable {
    /// Range by range through the table in key order: each page is written once. Faster where many rows have expired.
    case walk
    /// Range by range through an index on the rule's time. It reads only expired rows, but writes a page of the table
    /// again for each batch with a row on that page. Faster where few rows have expired.
    case index

    /// The cheaper access path if there is an index on time. `expiredShare` is the share of expired rows among the
    /// first ``sample`` rows in key order. Measured: the walk passes forty rows in the time that the index takes for
    /// one.
    package static func cheaper(expiredShare: Double) -> AccessPath {
        expiredShare > 1 / walkAdvantage ? .walk : .index
    }

    /// The number of rows that are sampled to choose an access path. Reading them takes a millisecond.
    package static let sample = 2_000
    private static let walkAdvantage = 40.0
}
