import FoundationEssentials
import Retention

/// The record of a rule's last completed run.
package struct LastRun: Codable, Equatable, Sendable {
    /// When the run began.
    package let date: Date
    /// The rule's text at that time; nil when unknown.
    package let rule: RuleText?
    /// Where the store was, see ``StorePlace``; nil when unknown.
    package let place: String?
    /// The number of rows of its table that it deleted; nil when unknown.
    package let deleted: Int64?
    /// The number of rows of other tables that were deleted with them; nil when unknown.
    package let dependentsDeleted: Int64?
    /// The number of rows that it found in the store again; nil when unknown.
    package let cameBack: Int64?
    /// The run's duration; nil when unknown.
    package let took: Duration?

    package init(
        date: Date, rule: RuleText?, place: String? = nil, deleted: Int64? = nil,
        dependentsDeleted: Int64? = nil, cameBack: Int64? = nil, took: Duration? = nil
    ) {
        self.date = date
        self.rule = rule
        self.place = place
        self.deleted = deleted
        self.dependentsDeleted = dependentsDeleted
        self.cameBack = cameBack
        self.took = took
    }

    /// Whether it was a run of `rule` on the store at `place`, and not of an earlier rule with the same name. Unknown
    /// values count as equal.
    package func isOf(_ rule: RetentionRule, at place: String?) -> Bool {
        let isSameStore =
            self.place == nil || place == nil || self.place == place
            || self.place.map(StorePlace.resolved) == place
        return isSameStore && self.rule.map { $0.isOfTable(of: rule) } ?? true
    }

    /// Whether the interval of `rule` counts from this run. It does not if the rule's text then judged rows by another
    /// time.
    package func counts(for rule: RetentionRule, at place: String?) -> Bool {
        isOf(rule, at: place) && self.rule.map { $0.judgesRows(like: rule) } ?? true
    }
}

/// Why a rule did not complete when the service last ran it.
package struct RuleTrouble: Codable, Equatable, Sendable {
    package let outcome: Outcome
    package let cause: String
    /// What the rule waits for, if it was held.
    package let waitsFor: WaitReason?
    /// Its store and table, to recognise another rule with the same name.
    package let store: String, table: String
    /// The trouble in a rule's report; nil when the rule completed, or met a limit of its time.
    package init?(_ report: RuleReport) {
        guard let failure = report.failure, !report.metLimit else { return nil }
        outcome = report.outcome
        cause = failure.cause
        waitsFor = report.waitsFor
        store = report.store.description
        table = report.table
    }

    /// Whether the trouble is that of `rule`, and not of another rule with the same name.
    package func isOf(_ rule: RetentionRule) -> Bool {
        store == rule.store.description && table == rule.table
    }

    /// The keys of a state file, which must not change.
    enum CodingKeys: String, CodingKey {
        case outcome, cause, store, table
        case waitsFor = "waits_for"
    }
}
