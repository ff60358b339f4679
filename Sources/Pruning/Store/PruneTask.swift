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
