import FoundationEssentials

/// What the history keeps of a rule's report, under the report's own keys. What is not known is left out. What is added to
/// it must be optional: older entries have none.
package struct RuleRecord: Codable, Equatable, Sendable {
    typealias CodingKeys = RuleReport.CodingKeys

    /// See ``RuleReport/rule``.
    package let rule: String
    /// See ``RuleReport/store``.
    package let store: String
    /// See ``RuleReport/table``.
    package let table: String
    /// See ``RuleReport/cutoff``.
    package let cutoff: Date
    /// See ``RuleReport/outcome``.
    package let outcome: Outcome
    /// See ``RuleReport/expired``.
    package let expired: Int64?
    /// See ``RuleReport/deleted``.
    package let deleted: Int64
    /// See ``RuleReport/dependentsDeleted``.
    package let dependentsDeleted: Int64
    /// See ``RuleReport/keptImplausible``.
    package let keptImplausible: Int64
    /// See ``RuleReport/batches``.
    package let batches: Int
    /// See ``RuleReport/longestBatch``.
    package let longestBatchMilliseconds: Double
    /// See ``RuleReport/duration``.
    package let durationMilliseconds: Double
    /// See ``RuleReport/accessPath``.
    package let accessPath: AccessPath?
    /// See ``RuleReport/waitsFor``; nil in entries of older versions, too.
    package let waitsFor: Obstacle?
    /// See ``RuleReport/failure``.
    package let reason: String?
    /// See ``RuleReport/failure``.
    package let hint: String?

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
        accessPath = report.accessPath
        waitsFor = report.waitsFor
        reason = report.failure?.reason
        hint = report.failure?.hint
    }
}

/// What the history keeps of a store's free pages, under the report's own keys.
package struct ReclaimRecord: Codable, Equatable, Sendable {
    typealias CodingKeys = ReclaimReport.CodingKeys

    /// See ``ReclaimReport/store``.
    package let store: String
    /// See ``ReclaimReport/outcome``.
    package let outcome: Outcome
    /// See ``ReclaimReport/reclaimedBytes``.
    package let reclaimedBytes: Int64
    /// See ``ReclaimReport/freeBytes``.
    package let freeBytes: Int64?
    /// See ``ReclaimReport/steps``.
    package let steps: Int
    /// See ``ReclaimReport/longestStep``.
    package let longestStepMilliseconds: Double
    /// See ``ReclaimReport/duration``.
    package let durationMilliseconds: Double
    /// See ``ReclaimReport/failure``.
    package let reason: String?
    /// See ``ReclaimReport/failure``.
    package let hint: String?

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
