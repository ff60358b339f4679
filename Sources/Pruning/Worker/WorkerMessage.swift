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
    case batch(RuleProgress, BatchResult)
    case waiting(Name, StoreError, isLong: Bool)
    case ruleEnded(RuleProgress)
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
    /// The store is done, and its archive comes next.
    case end(ReclaimProgress?)
    /// How a rule on the archive ended.
    case archived(RuleProgress)
    /// All is done.
    case over

    /// The message of an event.
    package init(_ event: PruneEvent) {
        self =
            switch event {
            case .ruleStarted(let task, let expired, let path):
                .started(task.rule.name, expired: expired, path)
            case .confirmationTaken(let task, let seen): .confirmationTaken(task.rule.name, seen)
            case .batchCommitted(let report, let batch): .batch(RuleProgress(report), batch)
            case .waiting(let task, let error, let isLong):
                .waiting(task.rule.name, error, isLong: isLong)
            case .ruleFinished(let report): .ruleEnded(RuleProgress(report))
            case .reclaiming(let report): .reclaiming(ReclaimProgress(report))
            case .reclaimFinished(let report): .reclaimed(ReclaimProgress(report))
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

/// How far a rule is, or how it ended.
package struct RuleProgress: Codable, Sendable {
    let rule: Name
    let outcome: Outcome
    let expired, cameBack, kept: Int64?
    let deleted, dependentsDeleted, keptImplausible: Int64
    let batches: Int
    let longestBatch, duration, deleting: Duration
    let accessPath: AccessPath?
    let failure: Halt?
    let held: HeldRule?
    let ages: AgeProfile?

    package init(_ report: RuleReport) {
        rule = report.rule
        outcome = report.outcome
        (expired, cameBack, kept) = (report.expired, report.cameBack, report.kept)
        (deleted, dependentsDeleted) = (report.deleted, report.dependentsDeleted)
        keptImplausible = report.keptImplausible
        batches = report.batches
        (longestBatch, duration, deleting) = (report.longestBatch, report.duration, report.deleting)
        accessPath = report.accessPath
        (failure, held, ages) = (report.failure, report.held, report.forecast?.ages)
    }

    /// Whether all numbers can be what they say.
    var isPlausible: Bool {
        [expired ?? 0, cameBack ?? 0, kept ?? 0, deleted, dependentsDeleted, keptImplausible, Int64(batches)]
            .allSatisfy(\.isCount)
            && [longestBatch, duration, deleting].allSatisfy(\.isSpan)
            && [held?.expired ?? 0, held?.rows ?? 0, held?.shown?.rows.rows ?? 0].allSatisfy(\.isCount)
            && ages.map(\.isPlausible) ?? true
    }

    /// The report of `task`, whose rule this is.
    func report(of task: PruneTask) -> RuleReport {
        var report = RuleReport(task, outcome: outcome, failure: failure?.cleaned)
        (report.expired, report.cameBack, report.kept) = (expired, cameBack, kept)
        (report.deleted, report.dependentsDeleted) = (deleted, dependentsDeleted)
        report.keptImplausible = keptImplausible
        report.batches = batches
        (report.longestBatch, report.duration, report.deleting) = (longestBatch, duration, deleting)
        report.accessPath = accessPath
        report.forecast = ages.map { Forecast(of: task, $0) }
        return report
    }
}

/// What became of a store's free space.
package struct ReclaimProgress: Codable, Sendable {
    let outcome: Outcome
    let reclaimedBytes: Int64
    let freeBytes: Int64?
    let steps: Int
    let longestStep, duration: Duration
    let failure: Halt?

    package init(_ report: ReclaimReport) {
        outcome = report.outcome
        (reclaimedBytes, freeBytes, steps) = (report.reclaimedBytes, report.freeBytes, report.steps)
        (longestStep, duration, failure) = (report.longestStep, report.duration, report.failure)
    }

    var isPlausible: Bool {
        [reclaimedBytes, freeBytes ?? 0, Int64(steps)].allSatisfy(\.isSize)
            && [longestStep, duration].allSatisfy(\.isSpan)
    }

    func report(of store: Name) -> ReclaimReport {
        var report = ReclaimReport(store)
        report.outcome = outcome
        (report.reclaimedBytes, report.freeBytes, report.steps) = (reclaimedBytes, freeBytes, steps)
        (report.longestStep, report.duration, report.failure) = (longestStep, duration, failure?.cleaned)
        return report
    }
}

extension AgeProfile {
    fileprivate var isPlausible: Bool {
        let counts = [census.expired, census.implausible, dependents ?? 0, never, rows]
        return (counts + stay.rows.values + self.counts.map(\.rows) + staying.map(\.rows))
            .allSatisfy(\.isCount)
            && (1...1 << 40).contains(grain)
            && refusing.names.allSatisfy { $0 == $0.cleaned }
    }
}
