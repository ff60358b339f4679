import FoundationEssentials
import Retention

/// A rule that is held, and what resolves that.
package struct HoldStatus: Equatable, Sendable {
    /// The rule.
    package let rule: Name
    /// When it was first held.
    package let since: Date
    /// Why it is held.
    package let cause: String
    /// What a person can do about it; nil where ``commands`` say it.
    package let hint: String?
    /// What the rule waits for; nil when that has happened.
    package let waitsFor: WaitReason?
    /// What a guard saw; nil when none holds the rule.
    package let seen: HeldRule?
    /// When a person confirmed that; nil while nobody has.
    package let confirmedAt: Date?
    /// What a person types who wants the rows to go, one after the other; none when that was done, would not help, or
    /// cannot be told.
    package let commands: [String]

    /// Of a rule as it is now (nil: it is not known), by what `evidence` says of it; nil when that is of no hold. `program`
    /// is how a person calls this program, and `isServing` whether the service runs, which then does what is confirmed.
    package init?(
        _ name: Name, _ evidence: RuleEvidence, of rule: RetentionRule?, now: Date, in timeZone: Zone,
        program: String, isServing: Bool
    ) {
        self.rule = name
        seen = evidence.hold?.seen
        confirmedAt = evidence.hold?.confirmedAt
        if let attempt = evidence.heldByArchive, let record = attempt.record {
            (since, cause, hint) = (attempt.since, record.reason ?? "", record.hint)
            (waitsFor, commands) = (record.waitsFor, [])
            return
        }
        guard let hold = evidence.hold else { return nil }
        (since, cause, hint) = (hold.since, hold.cause, nil)
        waitsFor = hold.confirmedAt == nil ? .confirmation : nil
        guard let rule, hold.confirmedAt == nil else {
            commands = []
            return
        }
        let byHand = "\(program) --run-now --rule \(name) --confirm \(name)"
        guard hold.mismatch(with: rule, at: now, in: timeZone) == nil else {
            // First it is held anew: what was seen is not what would go now.
            commands = ["\(program) --run-now --rule \(name)", byHand]
            return
        }
        commands = [isServing ? "\(program) confirm \(name)" : byHand]
    }
}

extension Hold {
    /// Why a confirmation of this hold would not cover what `rule` would delete at `now`, as far as that can be told
    /// without counting; nil when it may.
    package func mismatch(
        with rule: RetentionRule, at now: Date, in timeZone: Zone
    ) -> Confirmation.Mismatch? {
        let today = HeldRule(
            rule, place: seen.place, cutoff: rule.expiry.cutoff(at: now, in: timeZone), timeZone: timeZone,
            expired: seen.expired, rows: seen.rows, change: nil)
        return Confirmation(seen).mismatch(with: today)
    }
}
