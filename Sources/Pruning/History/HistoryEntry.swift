import Foundation

/// One thing that happened, as the history keeps it.
public struct HistoryEntry: Codable, Equatable, Sendable {
    /// What happened. The names are those of the file: they stay.
    public enum Kind: String, Codable, Sendable {
        /// A rule of a run began to delete. Where no entry says how the run ended, it was killed, or goes on.
        case begun
        /// A run ended, with rules done, held or failed.
        case run
        /// Runs of the service in which nothing was deleted, and no rule ended otherwise than the time before.
        case quiet
        /// A person confirmed what a guard holds.
        case confirmed
        /// A person took the clock for right, whatever spoke against it.
        case trusted
        /// Archived rows were put back.
        case restored
        /// A configuration was refused.
        case refused
    }

    /// What happened.
    public let kind: Kind
    /// When: a run's start, of quiet runs the last one's.
    public let time: Date
    /// Who started it: the service, or a person.
    public let by: Initiator.Kind
    /// The person's login name, or the service's; nil when there is none.
    public let user: String?
    /// The run, or of restored rows the run that had deleted them.
    public var runID: String?
    /// Of a run.
    public var outcome: Outcome?
    /// Of a run.
    public var durationMilliseconds: Double?
    /// Of a run, in running order.
    public var rules: [RuleRecord]?
    /// Of a run: the stores that gave free pages back, or should have.
    public var reclaimed: [ReclaimRecord]?
    /// Of what concerns one rule.
    public var rule: String?
    /// Of what began: the rule's store and table; nil in entries of older versions.
    public var store: String?, table: String?
    /// The rows that have expired, of which a rule begins to delete, or that are confirmed to go.
    public var expired: Int64?
    /// Of a confirmation: the day of the cutoff, in the policy's time zone.
    public var cutoffDay: String?
    /// The rows of the table that is to lose the confirmed ones.
    public var rows: Int64?
    /// Of quiet runs: when the first of them began.
    public var since: Date?
    /// How many quiet runs.
    public var runs: Int?
    /// Of quiet runs: how the rules ended.
    public var repeats: [RepeatedOutcome]?
    /// The rows that were put back.
    public var restored: Int64?
    /// The rows that were not, because of what stands in the store now.
    public var skipped: Int64?
    /// Why a configuration was refused, or what spoke against a clock that was trusted.
    public var reason: String?
    /// What a person can do about it.
    public var hint: String?

    init(_ kind: Kind, at time: Date, by initiator: Initiator) {
        self.kind = kind
        self.time = time
        by = initiator.kind
        user = initiator.user
    }

    /// Scripts read these: they stay. What has no value is left out.
    enum CodingKeys: String, CodingKey {
        case kind, time, by, user
        case runID = "run_id"
        case outcome
        case durationMilliseconds = "duration_ms"
        case rules, reclaimed, rule, store, table, expired
        case cutoffDay = "cutoff_day"
        case rows, since, runs, repeats, restored, skipped, reason, hint
    }
}

/// How a rule ended again and again.
public struct RepeatedOutcome: Codable, Hashable, Sendable {
    /// The rule.
    public let rule: String
    /// How it ended.
    public let outcome: Outcome
    /// In how many runs.
    public var runs: Int

    /// See the properties.
    public init(rule: String, outcome: Outcome, runs: Int) {
        self.rule = rule
        self.outcome = outcome
        self.runs = runs
    }
}
