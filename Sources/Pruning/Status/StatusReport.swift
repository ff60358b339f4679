import FoundationEssentials
import Retention

/// The content of `pruned status`.
package struct StatusReport: Sendable {
    /// When the status was read.
    package var at: Date
    /// When the owner of the state directory published what is shown of the rules; nil if that was read now.
    package var publishedAt: Date?
    /// The time zone of the times and days shown.
    package var timeZone: Zone
    /// The path of the configuration file; nil while the built-in policy is in force.
    package var configuration: String?
    /// The drop-in files, each overriding those before it; empty while the configuration is refused.
    package var dropIns: [String]
    /// Why the configuration is refused; nil when it is not.
    package var refusal: Refusal?
    /// When the service read the policy in force, which is shown here, if the configuration files have a different one
    /// by now; otherwise nil.
    package var inForceSince: Date?
    /// The state directory.
    package var stateDirectory: String
    /// The parts of the state directory that are treated as empty because they cannot be read.
    package var damaged: [StateDamage]
    /// Whether a service runs on the state directory; nil where that is unknown.
    package var isServing: Bool?
    /// Why the clock is not believed; nil when it is, or when that could not be checked.
    package var clockDoubt: ClockDoubt?
    /// The command for a person who knows that the clock is right; nil while the clock is believed.
    package var clockCommand: String?
    /// The rules, in running order.
    package var rules: [RuleStatus]
    /// The held rules, by name.
    package var holds: [HoldStatus]
    /// The stores, in the policy's order, and the archive if it exists.
    package var stores: [StoreStatus]
    /// What a person should know of the families of stores.
    package var remarks: [String] = []
    /// How large stores were at the end of the days on which a run changed them, by name.
    package var sizes: [String: [SizeOnDay]] = [:]
    /// The rows deleted per day in the last two weeks.
    package var deletions: DailyDeletions

    /// Why a configuration is refused.
    package struct Refusal: Equatable, Sendable {
        /// What is wrong, and where.
        package let reason: String
        /// What to do about it.
        package let hint: String?

        package init(reason: String, hint: String?) {
            self.reason = reason
            self.hint = hint
        }
    }

    /// The number of stores, without the archive.
    package var storeCount: Int { stores.count { $0.name != RetentionPolicy.archiveName } }

    /// A report in which everything else is empty.
    package init(at: Date, timeZone: Zone, stateDirectory: String, deletions: DailyDeletions) {
        self.at = at
        self.timeZone = timeZone
        self.stateDirectory = stateDirectory
        self.deletions = deletions
        (dropIns, damaged, rules, holds, stores) = ([], [], [], [], [])
    }
}
