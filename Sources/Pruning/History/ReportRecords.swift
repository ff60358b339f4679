import Foundation

/// What the history keeps of a rule's report, under the report's own keys. What is not known is left out. What is added to
/// it must be optional: older entries have none.
public struct RuleRecord: Codable, Equatable, Sendable {
    typealias CodingKeys = RuleReport.CodingKeys

    /// See ``RuleReport``, as for all that follow.
    public let rule: String
    public let store: String
    public let table: String
    public let cutoff: Date
    public let outcome: Outcome
    public let expired: Int64?
    public let deleted: Int64
    public let dependentsDeleted: Int64
    public let keptImplausible: Int64
    public let batches: Int
    public let longestBatchMilliseconds: Double
    public let durationMilliseconds: Double
    public let plan: DeletePlan?
    public let reason: String?
    public let hint: String?

    init(_ report: RuleReport) {
        rule = report.rule.description
        store = report.store.description
        table = report.table
        cutoff = report.cutoff
        outcome = report.outcome
        expired = report.expired
        deleted = report.deleted
        dependentsDeleted = report.dependentsDeleted
        keptImplausible = report.keptImplausible
        batches = report.batches
        longestBatchMilliseconds = report.longestBatch.milliseconds
        durationMilliseconds = report.duration.milliseconds
        plan = report.plan
        reason = report.failure?.reason
        hint = report.failure?.hint
    }
}

/// What the history keeps of a store's free pages, under the report's own keys.
public struct ReclaimRecord: Codable, Equatable, Sendable {
    typealias CodingKeys = ReclaimReport.CodingKeys

    /// See ``ReclaimReport``, as for all that follow.
    public let store: String
    public let outcome: Outcome
    public let reclaimedBytes: Int64
    public let freeBytes: Int64?
    public let steps: Int
    public let longestStepMilliseconds: Double
    public let durationMilliseconds: Double
    public let reason: String?
    public let hint: String?

    init(_ report: ReclaimReport) {
        store = report.store.description
        outcome = report.outcome
        reclaimedBytes = report.reclaimedBytes
        freeBytes = report.freeBytes
        steps = report.steps
        longestStepMilliseconds = report.longestStep.milliseconds
        durationMilliseconds = report.duration.milliseconds
        reason = report.failure?.reason
        hint = report.failure?.hint
    }
}
