import Retention

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
