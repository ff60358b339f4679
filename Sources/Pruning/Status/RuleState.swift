import FoundationEssentials
import Retention

/// How a rule stands. The names are those of `pruned status --json`: they stay.
package enum RuleState: String, Codable, Sendable {
    /// It has never run.
    case new
    /// Its last run came to its end.
    case done
    /// A guard stopped it, and a person must say whether it may go on.
    case held
    /// A person has confirmed what was held, and the next run does it.
    case confirmed
    /// It deletes just now.
    case running
    /// It began to delete, and nothing says how that ended: it was killed.
    case interrupted
    /// Its last run ended early, by a signal or a limit.
    case stopped
    /// Its store was busy when it last tried.
    case skipped
    /// Its last run failed.
    case failed
    /// It does not fit its store, so that no run begins.
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

/// The last that a history has of a rule: a run of it, whether or not that came to its end.
package struct LastAttempt: Equatable, Sendable {
    /// When the run began.
    package let began: Date
    /// How it ended for the rule; nil when nothing says so.
    package let record: RuleRecord?
    /// The rule's store and table then; nil where that was not kept, by an older version.
    package let store: String?, table: String?
    /// When the first run began that ended so, with none in between that ended otherwise.
    package let since: Date
    /// When the service last met with the same end again; nil when it has not, or not written it down yet.
    package var repeatedAt: Date?

    /// See the properties.
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

    /// Whether it was one of `rule`, and not of another that had its name.
    func isOf(_ rule: RetentionRule) -> Bool {
        (store ?? rule.store.description) == rule.store.description && (table ?? rule.table) == rule.table
    }
}
