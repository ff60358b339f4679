import FoundationEssentials
import Glibc
import Retention

/// What the service says of itself: to whoever asks while it runs, and to its next start.
package struct ServiceRecord: Codable, Equatable, Sendable {
    /// The policy in force, as a configuration file, in the service's time zone where that names none.
    package var policy: String
    /// The time zone of the service's system.
    package var timeZone: String
    /// When the policy was read.
    package var readAt: Date
    /// Why it refused the configuration when it last read that; nil when it did not.
    package var refusal: Refusal?
    /// The rules that did not come to their end when they last ran, and are tried again, by name.
    package var troubles: [String: RuleTrouble]

    /// Why a configuration was refused.
    package struct Refusal: Codable, Equatable, Sendable {
        /// When.
        package let at: Date
        /// What is wrong, and where.
        package let reason: String
        /// What to do about it.
        package let hint: String?

        /// See the properties.
        package init(at date: Date, reason: String, hint: String?) {
            at = date
            self.reason = reason
            self.hint = hint
        }
    }

    /// See the properties; nothing is refused, and nothing fails.
    package init(policy: String, timeZone: String, readAt: Date) {
        self.policy = policy
        self.timeZone = timeZone
        self.readAt = readAt
        troubles = [:]
    }

    enum CodingKeys: String, CodingKey {
        case policy
        case timeZone = "time_zone"
        case readAt = "read_at"
        case refusal, troubles
    }
}
