import Foundation

/// What the history keeps of a rule's report, under the report's own keys. What is not known is left out. What is added to
/// it must be optional: older entries have none.
public struct RuleRecord: Codable, Equatable, Sendable {
    typealias CodingKeys = RuleReport.CodingKeys

    /// See ``RuleReport/rule``.
    public let rule: String
    /// See ``RuleReport/store``.
    public let store: String
    /// See ``RuleReport/table``.
    public let table: String
    /// See ``RuleReport/cutoff``.
    public let cutoff: Date
    /// See ``RuleReport/outcome``.
    public let outcome: Outcome
    /// See ``RuleReport/expired``.
    public let expired: Int64?
    /// See ``RuleReport/deleted``.
    public let deleted: Int64
    /// See ``RuleReport/dependentsDeleted``.
    public let dependentsDeleted: Int64
    /// See ``RuleReport/keptImplausible``.
    public let keptImplausible: Int64
    /// See ``RuleReport/batches``.
    public let batches: Int
    /// See ``RuleReport/longestBatch``.
    public let longestBatchMilliseconds: Double
    /// See ``RuleReport/duration``.
    public let durationMilliseconds: Double
    /// See ``RuleReport/plan``.
    public let plan: DeletePlan?
    /// See ``RuleReport/waitsFor``; nil in entries of older versions, too.
    public let waitsFor: Obstacle?
    /// See ``RuleReport/failure``.
    public let reason: String?
    /// See ``RuleReport/failure``.
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
        waitsFor = report.waitsFor
        reason = report.failure?.reason
        hint = report.failure?.hint
    }
}

/// What the history keeps of a store's free pages, under the report's own keys.
public struct ReclaimRecord: Codable, Equatable, Sendable {
    typealias CodingKeys = ReclaimReport.CodingKeys

    /// See ``ReclaimReport/store``.
    public let store: String
    /// See ``ReclaimReport/outcome``.
    public let outcome: Outcome
    /// See ``ReclaimReport/reclaimedBytes``.
    public let reclaimedBytes: Int64
    /// See ``ReclaimReport/freeBytes``.
    public let freeBytes: Int64?
    /// See ``ReclaimReport/steps``.
    public let steps: Int
    /// See ``ReclaimReport/longestStep``.
    public let longestStepMilliseconds: Double
    /// See ``ReclaimReport/duration``.
    public let durationMilliseconds: Double
    /// See ``ReclaimReport/failure``.
    public let reason: String?
    /// See ``ReclaimReport/failure``.
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
