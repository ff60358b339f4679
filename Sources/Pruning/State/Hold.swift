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
    /// Whether a run that was confirmed has begun, and has not come to its end.
    public var hasBegun: Bool
    /// When the service last said so in the journal; nil when it has not.
    public var announcedAt: Date?

    /// A hold that nobody has confirmed; see the properties.
    public init(seen: HeldRule, cause: String, since: Date, announcedAt: Date? = nil) {
        self.seen = seen
        self.cause = cause
        self.since = since
        confirmedAt = nil
        hasBegun = false
        self.announcedAt = announcedAt
    }

    /// The keys of a state file: they stay.
    enum CodingKeys: String, CodingKey {
        case seen, cause, since
        case confirmedAt = "confirmed_at"
        case hasBegun = "has_begun"
        case announcedAt = "announced_at"
    }
}
