import FoundationEssentials
import Retention

/// A rule's report as the history records it, under the same keys as in the report. Unknown values are left out. New
/// members must be optional, because older entries lack them.
package struct RuleRecord: Codable, Equatable, Sendable {
    /// Scripts read these names, so they must not change.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case rule, store, table, cutoff, outcome, expired, deleted
        case dependentsDeleted = "dependents_deleted"
        case keptImplausible = "kept_implausible"
        case cameBack = "came_back"
        case batches
        case longestBatchMilliseconds = "longest_batch_ms"
        case durationMilliseconds = "duration_ms"
        case accessPath = "access_path"
        case waitsFor = "waits_for"
        case reason, hint
    }

    package let rule: String
    package let store: String
    package let table: String
    package let cutoff: Date
    package let outcome: Outcome
    package let expired: Int64?
    package let deleted: Int64
    package let dependentsDeleted: Int64
    package let keptImplausible: Int64
    /// Nil also in entries of older versions.
    package let cameBack: Int64?
    package let batches: Int
    package let longestBatchMilliseconds: Double
    package let durationMilliseconds: Double
    package let accessPath: AccessPath?
    /// Nil also in entries of older versions.
    package let waitsFor: WaitReason?
    package let reason: String?
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
        cameBack = report.cameBack
        batches = report.batches
        longestBatchMilliseconds = report.longestBatch.milliseconds
        durationMilliseconds = report.duration.milliseconds
        accessPath = report.accessPath
        waitsFor = report.waitsFor
        reason = report.failure.map { report.metLimit ? $0.cause : $0.reason }
        hint = report.failure?.hint
    }

    /// Whether, by `policy`, the rows that the rule deleted in a run at `start` are still in the archive at `now`.
    package func isArchived(by policy: RetentionPolicy, from start: Date, at now: Date) -> Bool {
        guard deleted > 0, let keep = Name(rule).flatMap(policy.rule(named:))?.archiveKeep else {
            return false
        }
        return keep.after(start, in: policy.timeZone) > now
    }
}

/// A store's reclaim report as the history records it, under the same keys as in the report.
package struct ReclaimRecord: Codable, Equatable, Sendable {
    /// Scripts read these names, so they must not change.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case store, outcome
        case reclaimedBytes = "reclaimed_bytes"
        case freeBytes = "free_bytes"
        case steps
        case longestStepMilliseconds = "longest_step_ms"
        case durationMilliseconds = "duration_ms"
        case reason, hint
    }

    package let store: String
    package let outcome: Outcome
    package let reclaimedBytes: Int64
    package let freeBytes: Int64?
    package let steps: Int
    package let longestStepMilliseconds: Double
    package let durationMilliseconds: Double
    package let reason: String?
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

extension FreeSpace {
    /// The size of a record.
    package init(_ record: SizeRecord) {
        self.init(bytes: record.bytes, freeBytes: record.freeBytes, unitBytes: 1)
    }
}

/// How large a store is after a run that changed it, or in a plan: on disk, and the free part of that.
package struct SizeRecord: Codable, Equatable, Sendable {
    /// Scripts read these names, so they must not change.
    enum CodingKeys: String, CodingKey {
        case store, bytes
        case freeBytes = "free_bytes"
    }

    package let store: String
    package let bytes: Int64
    package let freeBytes: Int64

    init(_ store: Name, _ space: FreeSpace) {
        self.store = store.description
        (bytes, freeBytes) = (space.bytes, space.freeBytes)
    }
}
