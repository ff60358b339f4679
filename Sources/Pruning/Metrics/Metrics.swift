import FoundationEssentials
import Retention

/// What the metrics file tells: sums over all runs, kept in the state directory so that a restart loses none of them,
/// and what was last seen.
package struct Metrics: Codable, Equatable, Sendable {
    /// Of one rule.
    package struct Rule: Codable, Equatable, Sendable {
        /// The rows of its table that were deleted.
        package var deleted: Int64 = 0
        /// The rows of other tables that went with them.
        package var dependentsDeleted: Int64 = 0
        /// How its runs ended.
        package var runs: [String: Int64] = [:]
        /// How long they took together, in seconds.
        package var seconds: Double = 0
        /// For how long the oldest expired row that was left had been expired, in seconds; nil when that is not known.
        package var backlogSeconds: Double?
        /// Whether its last run was held, and not for the clock's sake; nil when that was not kept, by an older version.
        package var isHeld: Bool?
        /// How its last run ended; nil before any, and when that was not kept, by an older version.
        package var lastOutcome: String?

        /// One that has not run.
        package init() {}

        /// The keys of a state file: they stay.
        enum CodingKeys: String, CodingKey {
            case deleted, runs, seconds
            case dependentsDeleted = "dependents_deleted"
            case backlogSeconds = "backlog_seconds"
            case isHeld = "is_held"
            case lastOutcome = "last_outcome"
        }
    }

    /// Of one store.
    package struct Store: Codable, Equatable, Sendable {
        /// How long batches kept the write lock.
        package var lockTimes = DurationHistogram()
        /// The size of its file, in bytes; nil when that is not known.
        package var bytes: Int64?
        /// What is free in it, in bytes; nil when that is not known.
        package var freeBytes: Int64?

        /// One that was not pruned.
        package init() {}

        /// The keys of a state file: they stay.
        enum CodingKeys: String, CodingKey {
            case lockTimes = "lock_times"
            case bytes
            case freeBytes = "free_bytes"
        }
    }

    /// By the rules' names.
    package private(set) var rules: [String: Rule] = [:]
    /// By the stores' names.
    package private(set) var stores: [String: Store] = [:]
    /// Whether the clock was believed in the last run; nil when there was none.
    package private(set) var isClockTrusted: Bool?
    /// How much of the archive's limit is taken, in bytes; nil when that is not known.
    package private(set) var archiveBytes: Int64?

    /// Whether the configuration as it was last read is in force; nil when that was not kept, by an older version.
    package var isConfigurationInForce: Bool?

    /// The file that tells it, an absolute path; nil when that was not kept, by an older version.
    package var file: String?

    /// Before any run.
    package init() {}

    /// The keys of a state file: they stay.
    enum CodingKeys: String, CodingKey {
        case rules, stores, file
        case isClockTrusted = "is_clock_trusted"
        case archiveBytes = "archive_bytes"
        case isConfigurationInForce = "is_configuration_in_force"
    }

    /// Takes in a run: what it reported, and what was measured of it.
    package mutating func add(_ report: PruneReport, _ measured: Measurements) {
        for rule in report.rules {
            var sum = rules[rule.rule.description] ?? Rule()
            sum.deleted += rule.deleted
            sum.dependentsDeleted += rule.dependentsDeleted
            sum.runs[rule.outcome.rawValue, default: 0] += 1
            sum.seconds += rule.duration / .seconds(1)
            sum.backlogSeconds = rule.outcome == .done ? 0 : measured.backlogSeconds[rule.rule]
            sum.lastOutcome = rule.outcome.rawValue
            sum.isHeld = rule.outcome == .held && rule.failure?.kind != .clock
            rules[rule.rule.description] = sum
        }
        for (name, histogram) in measured.lockTimes {
            stores[name.description, default: Store()].lockTimes.add(histogram)
        }
        for (name, size) in measured.sizes {
            var store = stores[name.description] ?? Store()
            store.bytes = size.bytes ?? store.bytes
            store.freeBytes = size.freeBytes ?? store.freeBytes
            stores[name.description] = store
        }
        archiveBytes = measured.archiveBytes ?? archiveBytes
        guard !report.rules.isEmpty else { return }
        isClockTrusted = !report.rules.contains { $0.failure?.kind == .clock }
    }
}
