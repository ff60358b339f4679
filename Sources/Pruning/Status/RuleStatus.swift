import FoundationEssentials
import Retention

/// How a rule stands, when it last ran and when it will.
package struct RuleStatus: Equatable, Sendable {
    /// The rule.
    package let rule: Name
    /// Its store; nil when that is not known anymore.
    package let store: String?
    /// Its table; nil when that is not known anymore.
    package let table: String?
    /// How it stands.
    package let state: RuleState
    /// When it last ran, whatever came of it; nil when it never did.
    package let lastRun: Date?
    /// The rows of ``table`` that this run deleted; nil when that was not kept.
    package let deleted: Int64?
    /// The rows of other tables that went with them; nil when that was not kept.
    package let dependentsDeleted: Int64?
    /// How long that took; nil when that was not kept.
    package let took: Duration?
    /// When it runs next; nil when no run can begin.
    package let next: NextRun?
    /// Why it is neither new, done nor confirmed.
    package let reason: String?
    /// What a person can do about it.
    package let hint: String?

    /// What `evidence` says of a rule by this name at `now`; `policy` has no such rule where it is gone, or cannot be
    /// read, and then nothing says when it runs next.
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
        took = isOpen ? nil : record.map { .milliseconds($0.durationMilliseconds) } ?? last?.took
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

/// When a rule runs next, as the service decides it.
package enum NextRun: Equatable, Sendable {
    /// Then.
    case at(Date)
    /// It is due.
    case now
    /// It deletes nothing before something has happened.
    case waits(WaitReason)
}
