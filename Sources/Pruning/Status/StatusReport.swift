import FoundationEssentials
import Retention

/// Everything that `pruned status` says.
package struct StatusReport: Sendable {
    /// When it was asked.
    package var at: Date
    /// In which times and days are told.
    package var timeZone: Zone
    /// The configuration file; nil while the built-in policy is in force.
    package var configuration: String?
    /// The files that lie over it, each over those before it; none while the configuration is refused.
    package var dropIns: [String]
    /// Why the configuration is refused, and what to do; nil when it is not.
    package var refusal: Refusal?
    /// When the service read what it works by, and shows here, while the configuration says something else; nil when it
    /// does not.
    package var inForceSince: Date?
    /// The state directory.
    package var stateDirectory: String
    /// What of it counts as empty, in part or as a whole, because it cannot be understood.
    package var damaged: [StateDamage]
    /// Whether a service runs on it; nil where nothing tells.
    package var isServing: Bool?
    /// Why the clock is not believed; nil when it is, or nobody could ask.
    package var clockDoubt: ClockDoubt?
    /// What a person types who knows that the clock is right; nil when it is believed.
    package var clockCommand: String?
    /// The rules, in running order.
    package var rules: [RuleStatus]
    /// The rules that are held, by name.
    package var holds: [HoldStatus]
    /// The stores, in the policy's order, and the archive if there is one.
    package var stores: [StoreStatus]
    /// What was deleted in the last two weeks.
    package var deletions: DailyDeletions

    /// Why a configuration is refused.
    package struct Refusal: Equatable, Sendable {
        /// What is wrong, and where.
        package let reason: String
        /// What to do about it.
        package let hint: String?

        /// See the properties.
        package init(reason: String, hint: String?) {
            self.reason = reason
            self.hint = hint
        }
    }

    /// See the properties; those of what is not known yet are empty.
    package init(at: Date, timeZone: Zone, stateDirectory: String, deletions: DailyDeletions) {
        self.at = at
        self.timeZone = timeZone
        self.stateDirectory = stateDirectory
        self.deletions = deletions
        (dropIns, damaged, rules, holds, stores) = ([], [], [], [], [])
    }
}
