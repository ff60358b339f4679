import FoundationEssentials

/// Two rules on the same table. That is not an error: a row is deleted as soon as either rule permits it.
package struct RuleOverlap: Equatable, Sendable {
    /// The two rules, in running order.
    package let first: RetentionRule, second: RetentionRule
    /// The rule that never finds anything, because the other one deletes the same rows no later; nil if there is none.
    package let idle: Name?

    /// All pairs of `rules` on the same table of a store, in running order, with their cutoffs at `date`.
    package static func all(
        among rules: [RetentionRule], at date: Date, in timeZone: Zone
    ) -> [RuleOverlap] {
        rules.enumerated().flatMap { index, second in
            rules[..<index].filter { $0.isOnTable(of: second) && !$0.followsMark(of: second) }.map { first in
                let idle =
                    first.action != second.action
                    ? nil
                    : first.covers(second, at: date, in: timeZone)
                        ? second : second.covers(first, at: date, in: timeZone) ? first : nil
                return RuleOverlap(first: first, second: second, idle: idle?.name)
            }
        }
    }

    /// The remarks for a person who looks at `rule`. What is to be said of several others alike is said once.
    package static func remarks(on rule: Name, among overlaps: [RuleOverlap]) -> [String] {
        let own = overlaps.filter { $0.second.name == rule }
        let alike = own.filter { $0.first.action == $0.second.action && $0.idle == nil }
        guard alike.count > 1 else { return own.map(\.remark) }
        let keepers = alike.contains { $0.first.sparesSome || $0.second.sparesSome }
        let all =
            "\(alike.count) rules before this one are on this table, too, the first is \(alike[0].first.name); a row is deleted"
            + " as soon as one of them allows it"
            + (keepers ? "; one may delete rows that another one keeps" : "")
        return [all] + own.filter { $0.first.action != $0.second.action || $0.idle != nil }.map(\.remark)
    }

    /// The remark for a person who looks at ``second``.
    package var remark: String {
        guard first.action == second.action else {
            let (deleting, marking) = first.action.isMark ? (second, first) : (first, second)
            return "rule \(deleting.name) deletes rows of this table that \(marking.name) only marks,"
                + " also some that \(marking.name) spares"
        }
        let both =
            "rule \(first.name) is on this table, too; a row is deleted as soon as either rule allows it"
        guard let idle else {
            let keepers = [first, second].contains { $0.sparesSome }
            return both + (keepers ? "; one may delete rows that the other one keeps" : "")
        }
        let other = idle == first.name ? second.name : first.name
        return "\(both); \(other) deletes the same rows no later, so \(idle) is not needed"
    }
}

extension RetentionRule {
    /// Whether one of the two marks rows and the other deletes only rows with the mark, or spares all that the first one
    /// spares, or the two mark differently.
    fileprivate func followsMark(of other: RetentionRule) -> Bool {
        guard action != other.action else { return false }
        guard case .mark(let marked) = action.isMark ? action : other.action else { return false }
        let (deleting, marking) = action.isMark ? (other, self) : (self, other)
        guard !deleting.action.isMark else { return true }
        let condition = deleting.condition?.lowercased() ?? ""
        return marked.contains { condition.contains($0.column.lowercased()) }
            || (Set(marking.protect).isSubset(of: deleting.protect)
                && (marking.condition == nil || marking.condition == deleting.condition)
                && Set(marking.keptBy).isSubset(of: deleting.keptBy) && marking.keepLast == nil)
    }

    /// Whether both are on the same table. SQLite's names are not case-sensitive.
    func isOnTable(of other: RetentionRule) -> Bool {
        store == other.store && table.lowercased() == other.table.lowercased()
    }

    /// Whether old rows may stay.
    fileprivate var sparesSome: Bool {
        !keptBy.isEmpty || orphansOf != nil || keepLast != nil || condition != nil || !protect.isEmpty
    }

    /// Whether this rule deletes every row that `other` would delete, and no later.
    fileprivate func covers(_ other: RetentionRule, at date: Date, in timeZone: Zone) -> Bool {
        expiry.column?.lowercased() == other.expiry.column?.lowercased() && time == other.time
            && expiry.cutoff(at: date, in: timeZone) >= other.expiry.cutoff(at: date, in: timeZone)
            && (orphansOf == nil || orphansOf == other.orphansOf) && Set(keptBy).isSubset(of: other.keptBy)
            && Set(protect).isSubset(of: other.protect)
            && (condition == nil || condition == other.condition)
            && (keepLast == nil || keepLastPer == other.keepLastPer && keepLast ?? 0 <= other.keepLast ?? 0)
    }
}
