import FoundationEssentials
import Retention

/// A rule that a guard holds until a person confirms it, as the state directory keeps it.
package struct Hold: Codable, Equatable, Sendable {
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

    /// The keys of a state file: they stay.
    enum CodingKeys: String, CodingKey {
        case seen, cause, since, begun
        case confirmedAt = "confirmed_at"
        case announcedAt = "announced_at"
    }
}
