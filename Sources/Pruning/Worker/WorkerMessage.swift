import FoundationEssentials
import Retention

/// What a worker process tells. Each message is a line of JSON.
package enum WorkerMessage: Codable, Sendable {
    /// The work makes progress.
    case alive
    /// What it is at, if that takes long; nil once that is over.
    case at(WorkInHand?)
    case started(Name, expired: Int64, AccessPath)
    case confirmationTaken(Name, HeldRule)
    case batch(Name, RuleProgress, BatchResult)
    case waiting(Name, StoreError, isLong: Bool)
    case ruleEnded(Name, RuleProgress, AgeProfile?)
    case reclaiming(ReclaimProgress)
    case reclaimed(ReclaimProgress)
    case remark(String)
    /// A confirmed deletion of these rows begins. Nothing is deleted before the answer.
    case begins(Name, RowsFingerprint)
    /// These rows of a confirmed deletion are deleted. No other batch begins before the answer.
    case gone(Name, RowsFingerprint)
    /// A confirmation has no use. Nothing is deleted before the answer.
    case forget(Name)
    /// A piece of the answer to the question that was the job.
    case answer(Data)
    /// The store is done, and this large; its archive comes next.
    case end(ReclaimProgress?, FreeSpace? = nil)
    /// How a rule on the archive ended.
    case archived(Name, RuleProgress)
    /// All is done.
    case over

    /// The message of an event.
    package init(_ event: PruneEvent) {
        self =
            switch event {
            case .ruleStarted(let task, let expired, let path):
                .started(task.rule.name, expired: expired, path)
            case .confirmationTaken(let task, let seen): .confirmationTaken(task.rule.name, seen)
            case .batchCommitted(let report, let batch): .batch(report.rule, report.progress, batch)
            case .waiting(let task, let error, let isLong):
                .waiting(task.rule.name, error, isLong: isLong)
            case .ruleFinished(let report):
                .ruleEnded(report.rule, report.progress, report.forecast?.ages)
            case .reclaiming(let report): .reclaiming(report.progress)
            case .reclaimFinished(let report): .reclaimed(report.progress)
            case .remarked(let remark): .remark(remark.text)
            }
    }
}

/// What a worker process is told after its job.
package enum WorkerAnswer: Codable, Sendable {
    /// End after this batch, for this reason.
    case stop(String)
    case ok
    /// Another run has used the confirmation.
    case no
    /// What was asked for could not be recorded.
    case failed(StoreError)
}
