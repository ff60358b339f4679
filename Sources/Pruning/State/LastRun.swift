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
