import FoundationEssentials
import TerminalText

/// An event, as the history records it.
package struct HistoryEntry: Codable, Equatable, Sendable {
    /// What happened. The names are part of the file's format and must not change.
    package enum Kind: String, Codable, Sendable {
        /// A rule of a run began to delete. If no entry tells the run's end, the run was killed or has not ended.
        case begun
        /// A run ended, with the outcome of each of its rules.
        case run
        /// Runs of the service that deleted nothing and in which every rule ended as in the run before.
        case quiet
        /// A person confirmed a hold.
        case confirmed
        /// A person vouched for the clock, whatever spoke against it.
        case trusted
        /// Archived rows were put back.
        case restored
        /// A configuration was refused.
        case refused
    }

    package let kind: Kind
    /// When the run started. For quiet runs, when the last one started.
    package let time: Date
    /// Whether the service or a person caused it.
    package let by: Initiator.Kind
    /// The login name of the person, or the service's user name; nil when there is none.
    package let user: String?
    /// The run. For restored rows, the run that had deleted them.
    package var runID: String?
    /// The run's outcome; set for runs only.
    package var outcome: Outcome?
    /// Set for runs only.
    package var durationMilliseconds: Double?
    /// The rules of a run, in running order.
    package var rules: [RuleRecord]?
    /// The stores of a run that gave free pages back, or should have.
    package var reclaimed: [ReclaimRecord]?
    /// How large the stores are that a run changed; nil also in entries of older versions.
    package var sizes: [SizeRecord]?
    /// The rule, for an event that concerns only one.
    package var rule: String?
    /// For a beginning: the rule's store and table; nil in entries of older versions.
    package var store: String?, table: String?
    /// The expired rows that a rule begins to delete, or that were confirmed.
    package var expired: Int64?
    /// For a confirmation: the day of the cutoff, in the policy's time zone.
    package var cutoffDay: String?
    /// For a confirmation: the number of rows in the table.
    package var rows: Int64?
    /// For quiet runs: when the first of them began.
    package var since: Date?
    /// The number of quiet runs.
    package var runs: Int?
    /// For quiet runs: how the rules ended.
    package var repeats: [RepeatedOutcome]?
    /// The number of rows that were put back.
    package var restored: Int64?
    /// The number of rows that were not put back, because of the store's current content.
    package var skipped: Int64?
    /// Why a configuration was refused, or what spoke against the clock that a person vouched for.
    package var reason: String?
    /// What a person can do about it.
    package var hint: String?

    init(_ kind: Kind, at time: Date, by initiator: Initiator) {
        self.kind = kind
        self.time = time
        by = initiator.kind
        user = initiator.user
    }

    /// Scripts read these names, so they must not change. Members without a value are left out.
    enum CodingKeys: String, CodingKey {
        case kind, time, by, user
        case runID = "run_id"
        case outcome
        case durationMilliseconds = "duration_ms"
        case rules, reclaimed, sizes, rule, store, table, expired
        case cutoffDay = "cutoff_day"
        case rows, since, runs, repeats, restored, skipped, reason, hint
    }
}

/// How often a rule ended with the same outcome.
package struct RepeatedOutcome: Codable, Hashable, Sendable {
    package let rule: String
    package let outcome: Outcome
    /// The number of runs that ended so.
    package var runs: Int

    package init(rule: String, outcome: Outcome, runs: Int) {
        self.rule = rule
        self.outcome = outcome
        self.runs = runs
    }
}

/// Who caused an event.
package struct Initiator: Equatable, Sendable {
    /// The names are part of the history's file format and must not change.
    package enum Kind: String, Codable, Sendable {
        /// The service, because a rule was due or a signal asked for a run; or the run of the systemd timer.
        case service
        /// A person, on the command line.
        case hand
    }

    package let kind: Kind
    /// The user's name; nil when the user has none.
    package let user: String?

    package init(_ kind: Kind, user: String?) {
        self.kind = kind
        self.user = user
    }
}

extension HistoryEntry {
    /// The entry as one line of JSON with sorted keys, times in UTC and durations in milliseconds. It is printable
    /// ASCII only, so that no value from a store or a file can break the line or a terminal.
    package func line() throws -> String {
        try json().escaping({ !(" "..."~").contains($0) }, as: \.jsonEscape)
    }
}
