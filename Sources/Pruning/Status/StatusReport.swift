import Foundation
import Retention

/// Everything that `pruned status` says.
public struct StatusReport: Sendable {
    /// When it was asked.
    public var at: Date
    /// In which times and days are told.
    public var timeZone: TimeZone
    /// The configuration file; nil while the built-in policy is in force.
    public var configuration: String?
    /// The files that lie over it, each over those before it; none while the configuration is refused.
    public var dropIns: [String]
    /// Why the configuration is refused, and what to do; nil when it is not.
    public var refusal: Refusal?
    /// When the service read what it works by, and shows here, while the configuration says something else; nil when it
    /// does not.
    public var inForceSince: Date?
    /// The state directory.
    public var stateDirectory: String
    /// What of it counts as empty, in part or as a whole, because it cannot be understood.
    public var damaged: [StateDamage]
    /// Whether a service runs on it; nil where nothing tells.
    public var isServing: Bool?
    /// Why the clock is not believed; nil when it is, or nobody could ask.
    public var clockDoubt: ClockDoubt?
    /// What a person types who knows that the clock is right; nil when it is believed.
    public var clockCommand: String?
    /// The rules, in running order.
    public var rules: [RuleStatus]
    /// The rules that are held, by name.
    public var holds: [HoldStatus]
    /// The stores, in the policy's order, and the archive if there is one.
    public var stores: [StoreStatus]
    /// What was deleted in the last two weeks.
    public var deletions: DailyDeletions

    /// Why a configuration is refused.
    public struct Refusal: Equatable, Sendable {
        /// What is wrong, and where.
        public let reason: String
        /// What to do about it.
        public let hint: String?

        /// See the properties.
        public init(reason: String, hint: String?) {
            self.reason = reason
            self.hint = hint
        }
    }

    /// See the properties; those of what is not known yet are empty.
    public init(at: Date, timeZone: TimeZone, stateDirectory: String, deletions: DailyDeletions) {
        self.at = at
        self.timeZone = timeZone
        self.stateDirectory = stateDirectory
        self.deletions = deletions
        (dropIns, damaged, rules, holds, stores) = ([], [], [], [], [])
    }
}
