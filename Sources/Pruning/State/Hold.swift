import FoundationEssentials
import Retention

/// A rule that a guard holds until a person confirms it, as it is remembered.
package struct Hold: Equatable, Sendable {
    /// What the guard saw when it last held the rule.
    package var seen: HeldRule
    /// Why it held the rule, in words.
    package var cause: String
    /// When it first held it.
    package var since: Date
    /// When a person confirmed ``seen``; nil while nobody has.
    package var confirmedAt: Date?
    /// The confirmed run that has begun, and has not come to its end; nil when none has.
    package var begun: Confirmation.Begun?
    /// When the service last said so in the journal; nil when it has not.
    package var announcedAt: Date?

    /// A hold that nobody has confirmed; see the properties.
    package init(seen: HeldRule, cause: String, since: Date, announcedAt: Date? = nil) {
        self.seen = seen
        self.cause = cause
        self.since = since
        confirmedAt = nil
        begun = nil
        self.announcedAt = announcedAt
    }

    /// This hold after a guard has seen the rule again, at `date`.
    package func seen(again now: HeldRule, because cause: String, at date: Date) -> Hold {
        // Confirmed while this run looked, which then had not heard of it.
        if let confirmation, confirmation.mismatch(with: now) == nil { return self }
        var next = now
        if now.isRepeat(of: seen) {
            // A person is told of a hold once: what may be confirmed does not grow bit by bit behind it.
            (next.expired, next.rows) = (seen.expired, seen.rows)
        }
        return Hold(
            seen: next, cause: cause, since: seen.rule == next.rule ? since : date,
            announcedAt: next.isRepeat(of: seen) ? announcedAt : nil)
    }

    /// The confirmation that the service goes by; nil while there is none.
    package var confirmation: Confirmation? { confirmedAt.map { _ in confirmationByHand } }

    /// The confirmation that a person gives who runs the rule by hand.
    var confirmationByHand: Confirmation { Confirmation(seen, begun: begun) }
}
