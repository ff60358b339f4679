import FoundationEssentials
import Retention

/// The state of a rule. The names are part of `pruned status --json`, so they must not change.
package enum RuleState: String, Codable, CaseIterable, Sendable {
    /// It has never run.
    case new
    /// Its last run completed.
    case done
    /// A guard stopped it and a person must confirm it; or the archive, leases or the clock do not let it delete now.
    case held
    /// A person has confirmed the hold, and the next run acts on it.
    case confirmed
    /// It is deleting now.
    case running
    /// It began to delete, and no record says how that ended: it was killed.
    case interrupted
    /// Its last run ended early, by a signal or a limit.
    case stopped
    /// Its store was busy or missing when it last tried.
    case skipped
    /// Its last run failed.
    case failed
    /// It does not fit its store, so no run begins.
    case unfit
}

extension RuleState {
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .done: .done
            case .held: .held
            case .stopped: .stopped
            case .skipped: .skipped
            case .failed: .failed
            }
    }
}

/// A rule's last run in the history, whether or not it completed.
package struct LastAttempt: Codable, Equatable, Sendable {
    /// When the run began.
    package let began: Date
    /// How the run ended for the rule; nil when no record says so.
    package let record: RuleRecord?
    /// The rule's store and table at that time; nil when an older version did not record them.
    package let store: String?, table: String?
    /// When the first of the consecutive runs with this same end began.
    package let since: Date
    /// When the service last recorded another run with the same end; nil when it has not.
    package var repeatedAt: Date?

    package init(
        began: Date, record: RuleRecord?, store: String? = nil, table: String? = nil, since: Date? = nil,
        repeatedAt: Date? = nil
    ) {
        self.began = began
        self.record = record
        self.store = store ?? record?.store
        self.table = table ?? record?.table
        self.since = since ?? began
        self.repeatedAt = repeatedAt
    }

    /// When `rule` goes on, if this attempt met the end of its hours or its longest run.
    package func turn(of rule: RetentionRule, in timeZone: Zone) -> Date? {
        guard isOf(rule), let record, record.waitsFor == .nextRun else { return nil }
        let start = repeatedAt ?? began
        let end = start.addingTimeInterval(record.durationMilliseconds / 1_000)
        return RunSchedule.turn(of: rule, after: start, until: end, in: timeZone)
    }

    /// Whether it was an attempt of `rule`, and not of another rule with the same name.
    func isOf(_ rule: RetentionRule) -> Bool {
        (store ?? rule.store.description) == rule.store.description && (table ?? rule.table) == rule.table
    }
}
