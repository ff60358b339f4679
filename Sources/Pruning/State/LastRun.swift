import FoundationEssentials
import Retention

/// When a rule last ran to its end, and what it said then.
package struct LastRun: Equatable, Sendable {
    /// When that run began.
    package let date: Date
    /// What the rule said; nil when that is not known.
    package let rule: RuleText?
    /// Where the store was, see ``StorePlace``; nil when that is not known.
    package let place: String?
    /// The rows of its table that it deleted; nil when that is not known.
    package let deleted: Int64?
    /// The rows of other tables that went with them; nil when that is not known.
    package let dependentsDeleted: Int64?
    /// How long it took; nil when that is not known.
    package let took: Duration?

    /// See the properties.
    package init(
        date: Date, rule: RuleText?, place: String? = nil, deleted: Int64? = nil,
        dependentsDeleted: Int64? = nil, took: Duration? = nil
    ) {
        self.date = date
        self.rule = rule
        self.place = place
        self.deleted = deleted
        self.dependentsDeleted = dependentsDeleted
        self.took = took
    }

    /// Whether it was a run of `rule` on the store at `place`, and not of another rule that had its name. What was not kept
    /// says nothing against that.
    package func isOf(_ rule: RetentionRule, at place: String?) -> Bool {
        let isSameStore = self.place == nil || place == nil || self.place == place
        return isSameStore && self.rule.map { $0.isOfTable(of: rule) } ?? true
    }

    /// Whether the next run of `rule` waits for its interval after this one: not where the rule judged rows by another time.
    package func counts(for rule: RetentionRule, at place: String?) -> Bool {
        isOf(rule, at: place) && self.rule.map { $0.judgesRows(like: rule) } ?? true
    }
}

/// Why a rule did not come to its end when the service last ran it.
package struct RuleTrouble: Codable, Equatable, Sendable {
    /// How it ended.
    package let outcome: Outcome
    /// Why.
    package let cause: String
    /// What it waits for, where it was held.
    package let waitsFor: WaitReason?
    /// Its store and table: another rule by its name has not met with that.
    package let store: String, table: String
    /// The next start does not try it again before that, as it cost the process; nil: it does so at once.
    package let restsUntil: Date?

    /// What `report` says of a rule; nil when it came to its end.
    package init?(_ report: RuleReport, restsUntil: Date? = nil) {
        guard let failure = report.failure else { return nil }
        outcome = report.outcome
        cause = failure.cause
        waitsFor = report.waitsFor
        store = report.store.description
        table = report.table
        self.restsUntil = restsUntil
    }

    /// Whether `rule` has met with it.
    package func isOf(_ rule: RetentionRule) -> Bool {
        store == rule.store.description && table == rule.table
    }

    /// The keys of a state file: they stay.
    enum CodingKeys: String, CodingKey {
        case outcome, cause, store, table
        case waitsFor = "waits_for"
        case restsUntil = "rests_until"
    }
}
