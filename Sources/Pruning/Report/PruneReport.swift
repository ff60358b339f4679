import Foundation
import Retention

/// What one run did, rule by rule.
public struct PruneReport: Equatable, Sendable {
    /// Identifies the run in reports, journal and history.
    public let runID: RunID
    /// When the run began; every cutoff was taken from this instant.
    public let startedAt: Date
    /// From the start to the last rule's end.
    public let duration: Duration
    /// Whether the run only counted.
    public let dryRun: Bool
    /// In running order.
    public let rules: [RuleReport]

    /// The worst of the rules' outcomes.
    public var outcome: Outcome { rules.map(\.outcome).max() ?? .done }

    /// See the properties.
    public init(runID: RunID, startedAt: Date, duration: Duration, dryRun: Bool, rules: [RuleReport]) {
        self.runID = runID
        self.startedAt = startedAt
        self.duration = duration
        self.dryRun = dryRun
        self.rules = rules
    }
}
