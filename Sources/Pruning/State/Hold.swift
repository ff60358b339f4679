import FoundationEssentials
import Retention

/// The record of a rule that a guard holds until a person confirms it.
package struct Hold: Equatable, Sendable {
    /// What the guard saw when it last held the rule.
    package var seen: HeldRule
    /// Why it held the rule, as text.
    package var cause: String
    /// When the guard first held it.
    package var since: Date
    /// When a person confirmed ``seen``; nil while nobody has.
    package var confirmedAt: Date?
    /// The confirmed deletion that has begun and is not complete; nil when there is none.
    package var begun: Confirmation.Begun?
    /// How many rows the confirmed deletion had to delete when it began; nil when none has begun.
    package var begunRows: Int64?
    /// When the service last logged the hold to the journal; nil when it has not.
    package var announcedAt: Date?

    /// An unconfirmed hold.
    package init(seen: HeldRule, cause: String, since: Date, announcedAt: Date? = nil) {
        self.seen = seen
        self.cause = cause
        self.since = since
        confirmedAt = nil
        begun = nil
        self.announcedAt = announcedAt
    }

    /// This hold after a guard held the rule again, at `date`.
    package func seen(again now: HeldRule, because cause: String, at date: Date) -> Hold {
        // A person confirmed it while the run was judging the rule, too late for that run.
        if let confirmation, now.isOfSameRows(as: seen), confirmation.mismatch(with: now) == nil {
            return self
        }
        var next = now
        if now.isRepeat(of: seen) {
            // A person is told of a hold only once, so the rows that a confirmation covers must not grow afterwards.
            (next.expired, next.rows) = (seen.expired, seen.rows)
        }
        return Hold(
            seen: next, cause: cause, since: seen.rule == next.rule ? since : date,
            announcedAt: next.isRepeat(of: seen) ? announcedAt : nil)
    }

    /// The confirmation that the service acts on; nil while there is none.
    package var confirmation: Confirmation? { confirmedAt.map { _ in confirmationByHand } }

    /// The confirmation that a person gives by starting the run by hand.
    package var confirmationByHand: Confirmation { Confirmation(seen, begun: begun, heldSince: since) }
}
