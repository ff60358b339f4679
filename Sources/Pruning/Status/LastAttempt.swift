import FoundationEssentials
import Retention

/// The last that a history has of a rule: a run of it, whether or not that came to its end.
package struct LastAttempt: Equatable, Sendable {
    /// When the run began, in whole seconds.
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

    /// The last attempts by the names of their rules, of a history's `entries` in their order.
    package static func byRule(_ entries: [HistoryEntry]) -> [String: LastAttempt] {
        var attempts: [String: LastAttempt] = [:]
        var ended: [String: LastAttempt] = [:]
        for entry in entries {
            switch entry.kind {
            case .run:
                for record in entry.rules ?? [] {
                    let last = ended[record.rule]
                    let isSame = last?.record.map { record.endsLike($0) } ?? false
                    let attempt = LastAttempt(
                        began: entry.time, record: record, since: isSame ? last?.since : nil)
                    (attempts[record.rule], ended[record.rule]) = (attempt, attempt)
                }
            case .begun:
                // Its run's end stands behind it, if there is one.
                guard let rule = entry.rule else { break }
                attempts[rule] = LastAttempt(
                    began: entry.time, record: nil, store: entry.store, table: entry.table)
            case .quiet:
                for repeated in entry.repeats ?? []
                where attempts[repeated.rule]?.record?.outcome == repeated.outcome {
                    attempts[repeated.rule]?.repeatedAt = entry.time
                }
            case .confirmed, .trusted, .restored, .refused: break
            }
        }
        return attempts
    }
}

extension RuleRecord {
    fileprivate func endsLike(_ other: RuleRecord) -> Bool {
        outcome == other.outcome && waitsFor == other.waitsFor
    }
}
