import Foundation
import Retention

/// The rules that are held, and what people confirmed of them, kept in the state directory.
public struct HoldLedger: Sendable {
    private let file: StateFile<Hold>

    /// The ledger of a state directory.
    public init(stateDirectory: String) {
        file = StateFile(path: stateDirectory + "/holds.json", purpose: "remember the holds")
    }

    /// The holds by rule. An unreadable ledger counts as empty: the worst that can follow is a person who is asked once
    /// more.
    public func holds() -> [Name: Hold] {
        file.read()
    }

    var isDamaged: Bool { file.isDamaged }

    /// Takes in what became of the rules in a run that began at `date`: which are held, and which are no more because they
    /// ran to their end.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the state directory cannot be written, as do the others.
    public func record(
        _ reports: [RuleReport], at date: Date, announced: [Name: Date] = [:]
    ) throws(StoreError) {
        let known = holds()
        guard reports.contains(where: { $0.held != nil || known[$0.rule] != nil }) else { return }
        try file.update { holds in
            for report in reports {
                if report.outcome == .done { holds[report.rule] = nil }
                if let expired = report.expired { holds[report.rule]?.shrink(to: expired - report.deleted) }
                guard report.outcome == .held, let seen = report.held else { continue }
                var hold = Self.hold(
                    seen, because: report.failure?.cause ?? "", at: date, after: holds[report.rule])
                hold.announcedAt = announced[report.rule] ?? hold.announcedAt
                holds[report.rule] = hold
            }
        }
    }

    private static func hold(
        _ seen: HeldRule, because cause: String, at date: Date, after last: Hold?
    ) -> Hold {
        guard let last else {
            return Hold(seen: seen, cause: cause, since: date)
        }
        // Confirmed while this run looked, which then had not heard of it.
        if let confirmation = last.confirmation, confirmation.mismatch(with: seen) == nil { return last }
        var seen = seen
        if seen.isRepeat(of: last.seen) {
            // A person is told of a hold once: what may be confirmed does not grow bit by bit behind it.
            (seen.expired, seen.rows) = (last.seen.expired, last.seen.rows)
        }
        return Hold(
            seen: seen, cause: cause, since: last.seen.rule == seen.rule ? last.since : date,
            announcedAt: seen.isRepeat(of: last.seen) ? last.announcedAt : nil)
    }

    /// Marks a hold as confirmed at `date`; returns it, or nil when the rule is not held.
    public func confirm(_ rule: Name, at date: Date) throws(StoreError) -> Hold? {
        guard holds()[rule] != nil else { return nil }
        try file.update { $0[rule]?.confirmedAt = date }
        return holds()[rule]
    }

    /// Remembers that the rule's confirmed deletion of `expired` rows begins, so that what an early end leaves of it is
    /// confirmed, too, and no more than that.
    public func begin(_ rule: Name, of expired: Int64, at date: Date) throws(StoreError) {
        guard holds()[rule] != nil else { return }
        try file.update { holds in
            guard var hold = holds[rule] else { return }
            hold.confirmedAt = hold.confirmedAt ?? date
            hold.hasBegun = true
            hold.shrink(to: expired)
            holds[rule] = hold
        }
    }
}

extension Hold {
    /// What was confirmed is partly done: from now on it covers no more than what is left of it.
    mutating func shrink(to expired: Int64) {
        guard hasBegun else { return }
        seen.expired = min(seen.expired, max(0, expired))
    }

    /// The confirmation that the service goes by; nil while there is none.
    public var confirmation: Confirmation? { confirmedAt.map { _ in confirmationByHand } }

    /// The confirmation that a person gives who runs the rule by hand.
    var confirmationByHand: Confirmation { Confirmation(seen, hasBegun: hasBegun) }
}
