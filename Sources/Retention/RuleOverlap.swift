import FoundationEssentials

/// Two rules on one table. That is no error: a row goes as soon as one of them says so.
package struct RuleOverlap: Equatable, Sendable {
    /// In running order.
    package let first: RetentionRule, second: RetentionRule
    /// The one of them that never finds anything, because the other one deletes all that it would; nil when each may.
    package let idle: Name?

    /// Every two of `rules`, in running order, that are on one table of one store, as they stand at `date`.
    package static func all(
        among rules: [RetentionRule], at date: Date, in timeZone: Zone
    ) -> [RuleOverlap] {
        rules.enumerated().flatMap { index, second in
            rules[..<index].filter { $0.store == second.store && $0.isOnTable(of: second) }.map { first in
                let idle =
                    first.covers(second, at: date, in: timeZone)
                    ? second : second.covers(first, at: date, in: timeZone) ? first : nil
                return RuleOverlap(first: first, second: second, idle: idle?.name)
            }
        }
    }

    /// What a person should know who looks at ``second``.
    package var remark: String {
        let both =
            "rule \(first.name) is on this table, too; a row is deleted as soon as either rule allows it"
        guard let idle else {
            let keepers = [first, second].contains { $0.keptBy != nil || $0.keepLast != nil }
            return both + (keepers ? "; one may delete rows that the other one keeps" : "")
        }
        let other = idle == first.name ? second.name : first.name
        return "\(both); \(other) deletes the same rows no later, so \(idle) is not needed"
    }
}

extension RetentionRule {
    /// SQLite's names have no case.
    fileprivate func isOnTable(of other: RetentionRule) -> Bool {
        table.lowercased() == other.table.lowercased()
    }

    /// Whether all that `other` would delete goes by this rule, and no later.
    fileprivate func covers(_ other: RetentionRule, at date: Date, in timeZone: Zone) -> Bool {
        expiry.column.lowercased() == other.expiry.column.lowercased() && unit == other.unit
            && expiry.cutoff(at: date, in: timeZone) >= other.expiry.cutoff(at: date, in: timeZone)
            && (keptBy == nil || keptBy == other.keptBy)
            && (keepLast ?? 0) <= (other.keepLast ?? 0)
    }
}
