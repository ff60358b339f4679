import FoundationEssentials
import Retention

/// A rule's state, and its last and next run.
package struct RuleStatus: Equatable, Sendable {
    package let rule: Name
    /// Its store; nil when no longer known.
    package let store: String?
    /// Its table; nil when no longer known.
    package let table: String?
    package let state: RuleState
    /// When it last ran, whatever the outcome; nil when it never did.
    package let lastRun: Date?
    /// The number of rows of ``table`` that this run deleted; nil when not recorded.
    package let deleted: Int64?
    /// The number of rows of other tables that were deleted with them; nil when not recorded.
    package let dependentsDeleted: Int64?
    /// The number of rows that this run found in the store again although earlier runs had deleted them; nil when
    /// unknown.
    package let cameBack: Int64?
    /// Whether it marks rows instead of deleting them.
    package let marks: Bool
    /// The run's duration; nil when not recorded.
    package let took: Duration?
    /// How far the run is that deletes now; nil when none does, or has recorded nothing yet.
    package let progress: RunProgress?
    /// When it runs next; nil when no run can begin.
    package let next: NextRun?
    /// Whether its last run met a limit of its time, and the next one goes on as the configuration has it.
    package let waitsForNextRun: Bool
    /// The rows that it deleted on each of the last days; nil if none.
    package let deletions: DailyDeletions?
    /// The expired rows that its last runs left; nil when none was counted.
    package let backlog: Backlog?
    /// Why the state is not `new`, `done`, `confirmed` or `running`; nil in these states.
    package let reason: String?
    /// What a person can do about it.
    package let hint: String?

    /// The status of the rule named `name` at `now`, from `evidence`. If `policy` lacks the rule or is unreadable
    /// (nil), the next run is unknown.
    package init(
        _ name: Name, _ evidence: RuleEvidence, in policy: RetentionPolicy?, now: Date
    ) {
        let defined = policy?.rule(named: name)
        let record = evidence.decisiveAttempt?.record
        let last = evidence.lastRun
        rule = name
        store = defined?.store.description ?? evidence.lastAttempt?.record?.store
        table = defined?.table ?? evidence.lastAttempt?.record?.table
        state = evidence.state
        lastRun = evidence.decisiveAttempt.map { $0.repeatedAt ?? $0.began } ?? last?.date
        let isOpen = evidence.decisiveAttempt != nil && record == nil
        deleted = isOpen ? nil : record?.deleted ?? last?.deleted
        dependentsDeleted = isOpen ? nil : record?.dependentsDeleted ?? last?.dependentsDeleted
        cameBack = isOpen ? nil : record.map(\.cameBack) ?? last?.cameBack
        marks = defined?.action.isMark ?? false
        waitsForNextRun = record?.waitsFor == .nextRun
        (backlog, deletions) = (evidence.backlog, evidence.deletions)
        took = isOpen ? nil : record.map { .milliseconds($0.durationMilliseconds) } ?? last?.took
        progress = evidence.runProgress
        next = defined.flatMap { rule in
            policy.flatMap { evidence.nextRun(of: rule, now: now, in: $0.timeZone) }
        }
        switch evidence.state {
        case .new, .done, .confirmed, .running: (reason, hint) = (nil, nil)
        case .unfit: (reason, hint) = (evidence.misfit?.reason, evidence.misfit?.hint)
        case .held where evidence.hold != nil && evidence.heldByArchive == nil:
            (reason, hint) = (evidence.hold?.cause, nil)
        case .interrupted: (reason, hint) = ("it was killed", "the next run continues it")
        case .held, .stopped, .skipped, .failed: (reason, hint) = (record?.reason, record?.hint)
        }
    }
}

/// When the service runs a rule next.
package enum NextRun: Equatable, Sendable {
    case at(Date)
    /// It is due.
    case now
    /// It deletes nothing until something has happened.
    case waits(WaitReason)
}
