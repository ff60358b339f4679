import FoundationEssentials

/// One thing that happened, as the history keeps it.
package struct HistoryEntry: Codable, Equatable, Sendable {
    /// What happened. The names are those of the file: they stay.
    package enum Kind: String, Codable, Sendable {
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
    package let kind: Kind
    /// When: a run's start, of quiet runs the last one's.
    package let time: Date
    /// Who started it: the service, or a person.
    package let by: Initiator.Kind
    /// The person's login name, or the service's; nil when there is none.
    package let user: String?
    /// The run, or of restored rows the run that had deleted them.
    package var runID: String?
    /// Of a run.
    package var outcome: Outcome?
    /// Of a run.
    package var durationMilliseconds: Double?
    /// Of a run, in running order.
    package var rules: [RuleRecord]?
    /// Of a run: the stores that gave free pages back, or should have.
    package var reclaimed: [ReclaimRecord]?
    /// Of what concerns one rule.
    package var rule: String?
    /// Of what began: the rule's store and table; nil in entries of older versions.
    package var store: String?, table: String?
    /// The rows that have expired, of which a rule begins to delete, or that are confirmed to go.
    package var expired: Int64?
    /// Of a confirmation: the day of the cutoff, in the policy's time zone.
    package var cutoffDay: String?
    /// The rows of the table that is to lose the confirmed ones.
    package var rows: Int64?
    /// Of quiet runs: when the first of them began.
    package var since: Date?
    /// How many quiet runs.
    package var runs: Int?
    /// Of quiet runs: how the rules ended.
    package var repeats: [RepeatedOutcome]?
    /// The rows that were put back.
    package var restored: Int64?
    /// The rows that were not, because of what stands in the store now.
    package var skipped: Int64?
    /// Why a configuration was refused, or what spoke against a clock that was trusted.
    package var reason: String?
    /// What a person can do about it.
    package var hint: String?

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
package struct RepeatedOutcome: Codable, Hashable, Sendable {
    /// The rule.
    package let rule: String
    /// How it ended.
    package let outcome: Outcome
    /// In how many runs.
    package var runs: Int

    /// See the properties.
    package init(rule: String, outcome: Outcome, runs: Int) {
        self.rule = rule
        self.outcome = outcome
        self.runs = runs
    }
}

/// Who made something happen.
package struct Initiator: Equatable, Sendable {
    /// The names are those of the history's file: they stay.
    package enum Kind: String, Codable, Sendable {
        /// The service, because it was due, or told to by a signal; or the timer's run.
        case service
        /// A person, on the command line.
        case hand
    }

    /// Whether it was the service.
    package let kind: Kind
    /// As whom; nil when the user has no name.
    package let user: String?

    /// See the properties.
    package init(_ kind: Kind, user: String?) {
        self.kind = kind
        self.user = user
    }
}

/// An entry as a line of text: a JSON object, and nothing in it but printable ASCII, so that no value of a store's or a
/// file's breaks the line, or a terminal.
enum HistoryLine {
    static func text(of entry: HistoryEntry) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let json = String(decoding: try encoder.encode(entry), as: UTF8.self)
        return json.unicodeScalars.reduce(into: "") { line, scalar in
            if (" "..."~").contains(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 { line += escaped(unit) }
            }
        }
    }

    private static func escaped(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension HistoryEntry {
    /// The entry as one line of JSON, in ASCII, with sorted keys, times in UTC and durations in milliseconds.
    package func json() throws -> String { try HistoryLine.text(of: self) }
}
