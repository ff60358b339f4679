import Foundation
import Retention

/// One rule in one run: the rule with its cutoff fixed.
public struct PruneTask: Hashable, Sendable {
    /// What to prune.
    public let rule: RetentionRule
    /// The instant before which a row is expired.
    public let cutoff: Date
    /// When the run began, which fixed the cutoff.
    public let start: Date
    /// Where days begin.
    public let timeZone: TimeZone
    /// The run that the task is part of; nil outside of any, where nothing is archived.
    public var runID: RunID?
    /// The tasks before this one on its store, in running order, whose rows a dry run takes for deleted already, as
    /// they would be by now.
    public var presumedDone: [PruneTask]

    /// The rule's task in a run that starts at `start`.
    public init(_ rule: RetentionRule, start: Date, in timeZone: TimeZone, presumedDone: [PruneTask] = []) {
        self.rule = rule
        runID = nil
        self.start = start
        self.timeZone = timeZone
        cutoff = rule.expiry.cutoff(at: start, in: timeZone)
        self.presumedDone = presumedDone
    }

    /// The values of the time column that mean "expired".
    public var window: ExpiryWindow { ExpiryWindow(cutoff: cutoff, unit: rule.unit) }
}
