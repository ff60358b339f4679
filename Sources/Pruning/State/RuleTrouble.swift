import FoundationEssentials
import Retention

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
