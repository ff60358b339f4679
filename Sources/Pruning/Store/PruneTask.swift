import FoundationEssentials
import Retention

/// One rule in one run: the rule with its cutoff fixed.
package struct PruneTask: Hashable, Sendable {
    /// What to prune.
    package let rule: RetentionRule
    /// The instant before which a row is expired.
    package let cutoff: Date
    /// When the run began, which fixed the cutoff.
    package let start: Date
    /// Where days begin.
    package let timeZone: Zone
    /// The run that the task is part of; nil outside of any, where nothing is archived.
    package var runID: RunID?
    /// The tasks before this one on its store, in running order, whose rows a dry run takes for deleted already, as
    /// they would be by now.
    package var presumedDone: [PruneTask]

    /// The rule's task in a run that starts at `start`.
    package init(_ rule: RetentionRule, start: Date, in timeZone: Zone, presumedDone: [PruneTask] = []) {
        self.rule = rule
        runID = nil
        self.start = start
        self.timeZone = timeZone
        cutoff = rule.expiry.cutoff(at: start, in: timeZone)
        self.presumedDone = presumedDone
    }

    /// The values of the time column that mean "expired".
    package var window: ExpiryWindow { ExpiryWindow(cutoff: cutoff, unit: rule.unit) }
}

/// How the batches of a rule find their rows.
package enum AccessPath: String, Codable, CaseIterable, Sendable {
    /// Through the table in key order, range by range: each page is written once. Wins where many rows expired.
    case walk
    /// Through an index on the rule's time, range by range: touches nothing but expired rows, but a page of the table once
    /// for each batch that has one of its rows. Wins where few rows expired.
    case index

    /// The cheaper plan where there is an index on time, given how many of the first ``sample`` rows in key order have
    /// expired, from what was measured: the walk passes forty rows in the time in which the index comes to one.
    package static func cheaper(expiredShare: Double) -> AccessPath {
        expiredShare > 1 / walkAdvantage ? .walk : .index
    }

    /// The rows that are looked at to choose a plan: read in a millisecond.
    package static let sample = 2_000
    private static let walkAdvantage = 40.0
}
