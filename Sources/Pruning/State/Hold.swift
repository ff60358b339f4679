import Foundation
import Retention

/// A rule that a guard holds until a person confirms it, as the state directory keeps it.
public struct Hold: Codable, Equatable, Sendable {
    /// What the guard saw when it last held the rule.
    public var seen: HeldRule
    /// Why it held the rule, in words.
    public var cause: String
    /// When it first held it.
    public var since: Date
    /// When a person confirmed ``seen``; nil while nobody has.
    public var confirmedAt: Date?
    /// The confirmed run that has begun, and has not come to its end; nil when none has.
    public var begun: Confirmation.Begun?
    /// When the service last said so in the journal; nil when it has not.
    public var announcedAt: Date?

    /// A hold that nobody has confirmed; see the properties.
    public init(seen: HeldRule, cause: String, since: Date, announcedAt: Date? = nil) {
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
