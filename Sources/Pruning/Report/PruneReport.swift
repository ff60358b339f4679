import FoundationEssentials
import Retention

/// What one run did, rule by rule and then store by store.
package struct PruneReport: Equatable, Sendable {
    /// Identifies the run in reports, journal and history.
    package let runID: RunID
    /// When the run began; every cutoff was taken from this instant.
    package let startedAt: Date
    /// From the start to the end of the last rule, and of what came after it.
    package let duration: Duration
    /// Whether the run only counted.
    package let dryRun: Bool
    /// In running order.
    package let rules: [RuleReport]
    /// The stores that gave free pages back, or should have, by name.
    package let reclaims: [ReclaimReport]

    /// The worst of the rules' outcomes. Free pages have no part in it: what expired is gone, and the next run tries
    /// again to give them back.
    package var outcome: Outcome { rules.map(\.outcome).max() ?? .done }

    /// What became of the rule of this name; nil where it had no part in the run.
    package func rule(named name: Name) -> RuleReport? { rules.first { $0.rule == name } }

    /// Those of `rules` that came to their end.
    package func done(of rules: [RetentionRule]) -> [RetentionRule] {
        let done = Set(self.rules.filter { $0.outcome == .done }.map(\.rule))
        return rules.filter { done.contains($0.name) }
    }

    /// See the properties.
    package init(
        runID: RunID, startedAt: Date, duration: Duration, dryRun: Bool, rules: [RuleReport],
        reclaims: [ReclaimReport] = []
    ) {
        self.runID = runID
        self.startedAt = startedAt
        self.duration = duration
        self.dryRun = dryRun
        self.rules = rules
        self.reclaims = reclaims
    }
}

/// Something that happened in a run, as it happens.
package enum PruneEvent: Sendable {
    /// A rule's rows were counted and the deletion begins; `accessPath` says how rows are found.
    case ruleStarted(PruneTask, expired: Int64, accessPath: AccessPath)
    /// A rule goes beyond its limits because that was confirmed.
    case confirmationTaken(PruneTask, HeldRule)
    /// A batch was committed; the report is the rule's so far.
    case batchCommitted(RuleReport, BatchResult)
    /// A rule waits for the store.
    case waiting(PruneTask, StoreError)
    /// A rule ended.
    case ruleFinished(RuleReport)
    /// Pages were given back; the report is the store's so far.
    case reclaiming(ReclaimReport)
    /// A store has given back what it could.
    case reclaimFinished(ReclaimReport)
}
