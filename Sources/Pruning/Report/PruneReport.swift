import FoundationEssentials
import Retention

/// What one run did: its rules, then its stores.
package struct PruneReport: Equatable, Sendable {
    /// Identifies the run in reports, the journal and the history.
    package let runID: RunID
    /// When the run began. All cutoffs are computed from this instant.
    package let startedAt: Date
    /// The time from the start to the end of the run, including reclaim and archive.
    package let duration: Duration
    /// Whether this was a dry run, which only counts.
    package let dryRun: Bool
    /// The rules, in running order.
    package var rules: [RuleReport]
    /// The stores that gave free pages back, or should have, sorted by name.
    package let reclaims: [ReclaimReport]
    /// What a person should know of the stores after the run, sorted by store.
    package let remarks: [StoreRemark]
    /// How large the stores are that the run changed; in a plan, all of its stores. Sorted by store.
    package let sizes: [SizeRecord]

    /// The worst outcome of a rule. Free pages do not matter here: the expired rows are deleted, and the next run tries
    /// to reclaim again.
    package var outcome: Outcome { rules.map(\.outcome).max() ?? .done }

    /// The report of the rule with this name; nil if it was not part of the run.
    package func rule(named name: Name) -> RuleReport? { rules.first { $0.rule == name } }

    /// Those of `rules` that completed.
    package func done(of rules: [RetentionRule]) -> [RetentionRule] {
        let done = Set(self.rules.filter { $0.outcome == .done }.map(\.rule))
        return rules.filter { done.contains($0.name) }
    }

    package init(
        runID: RunID, startedAt: Date, duration: Duration, dryRun: Bool, rules: [RuleReport],
        reclaims: [ReclaimReport] = [], remarks: [StoreRemark] = [], sizes: [SizeRecord] = []
    ) {
        self.runID = runID
        self.startedAt = startedAt
        self.duration = duration
        self.dryRun = dryRun
        self.rules = rules
        self.reclaims = reclaims
        self.remarks = remarks
        self.sizes = sizes
    }
}

/// What a person should know of a store after a run, such as how much of its deleted rows takes up space.
package struct StoreRemark: Equatable, Sendable {
    package let store: Name
    /// One sentence.
    package let text: String

    package init(_ store: Name, _ text: String) { (self.store, self.text) = (store, text) }
}

/// An event in a run, emitted when it happens.
package enum PruneEvent: Sendable {
    /// A rule's rows were counted and the deletion begins. `accessPath` says how the rows are found.
    case ruleStarted(PruneTask, expired: Int64, accessPath: AccessPath)
    /// A rule exceeds its limits because a person confirmed it.
    case confirmationTaken(PruneTask, HeldRule)
    /// A batch was committed. The report is the rule's report so far.
    case batchCommitted(RuleReport, BatchResult)
    /// A rule waits for the store; or, which may take long, for others that its batches burden.
    case waiting(PruneTask, StoreError, isLong: Bool)
    /// A rule ended.
    case ruleFinished(RuleReport)
    /// Pages were given back. The report is the store's report so far.
    case reclaiming(ReclaimReport)
    /// A store has given back what it could.
    case reclaimFinished(ReclaimReport)
    /// The rules of a store have ended, and a person should know this of it.
    case remarked(StoreRemark)
}
