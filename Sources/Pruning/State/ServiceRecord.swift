import FoundationEssentials
import Glibc

/// The service's record of itself, for other commands while it runs and for its next start.
package struct ServiceRecord: Codable, Equatable, Sendable {
    /// The policy in force, as the text of a configuration file. If that names no time zone, the service's applies.
    package var policy: String
    /// The service's system time zone.
    package var timeZone: String
    /// When the policy was read.
    package var readAt: Date
    /// Why the configuration was refused when it was last read; nil when it was not.
    package var refusal: Refusal?
    /// The rules that did not complete their last run and are retried, by name.
    package var troubles: [String: RuleTrouble]
    /// The service's process, which runs confirmed rules at SIGUSR2; nil in the record of an older version, which that
    /// signal would end.
    package var process: Int32?

    /// Why a configuration was refused.
    package struct Refusal: Codable, Equatable, Sendable {
        package let at: Date
        /// What is wrong, and where.
        package let reason: String
        /// What to do about it.
        package let hint: String?

        package init(at date: Date, reason: String, hint: String?) {
            at = date
            self.reason = reason
            self.hint = hint
        }
    }

    /// A record without refusals and troubles.
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
        case refusal, troubles, process
    }
}
