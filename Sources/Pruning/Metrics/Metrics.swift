import Retention

/// The content of the metrics file: sums over all runs, and the figures last seen. It is stored in the state directory,
/// so that a restart loses nothing.
package struct Metrics: Codable, Equatable, Sendable {
    package struct Rule: Codable, Equatable, Sendable {
        /// The deleted rows of its table.
        package var deleted: Int64 = 0
        /// The rows of other tables that were deleted with them.
        package var dependentsDeleted: Int64 = 0
        /// The rows of its table that came back; nil if no run has looked for them.
        package var cameBack: Int64?
        /// The number of runs by outcome.
        package var runs: [String: Int64] = [:]
        /// The total duration of its runs, in seconds.
        package var seconds: Double = 0
        /// How long ago the oldest expired row that its last run left had expired, in seconds; nil when unknown.
        package var backlogSeconds: Double?
        /// Whether its last run was held by a guard, not because of the clock; nil when an older version did not record
        /// it.
        package var isHeld: Bool?
        /// The expired rows that its last runs left; nil when none was counted.
        package var backlog: Backlog?
        /// The outcome of its last run; nil before the first, or when an older version did not record it.
        package var lastOutcome: String?

        package init() {}

        /// The keys of a state file, which must not change.
        enum CodingKeys: String, CodingKey {
            case deleted, runs, seconds, backlog
            case dependentsDeleted = "dependents_deleted"
            case cameBack = "came_back"
            case backlogSeconds = "backlog_seconds"
            case isHeld = "is_held"
            case lastOutcome = "last_outcome"
        }
    }

    package struct Store: Codable, Equatable, Sendable {
        /// The lock times of its batches.
        package var lockTimes = DurationHistogram()
        /// The size of its file, in bytes; nil when unknown.
        package var bytes: Int64?
        /// The free bytes in its file; nil when unknown.
        package var freeBytes: Int64?
        /// The bytes of its archive that count towards its limit; nil when unknown.
        package var archiveBytes: Int64?

        package init() {}

        /// The keys of a state file, which must not change.
        enum CodingKeys: String, CodingKey {
            case lockTimes = "lock_times"
            case bytes
            case archiveBytes = "archive_bytes"
            case freeBytes = "free_bytes"
        }
    }

    /// By rule name.
    package private(set) var rules: [String: Rule] = [:]
    /// By store name.
    package private(set) var stores: [String: Store] = [:]
    /// Whether the clock was believed in the last run; nil before the first.
    package private(set) var isClockTrusted: Bool?
    /// The bytes of the fullest archive; nil when unknown.
    package var archiveBytes: Int64? { stores.values.compactMap(\.archiveBytes).max() }

    /// Whether the configuration that was last read is in force; nil when an older version did not record it.
    package var isConfigurationInForce: Bool?

    /// The absolute path of the metrics file; nil when an older version did not record it.
    package var file: String?

    package init() {}

    /// The keys of a state file, which must not change.
    enum CodingKeys: String, CodingKey {
        case rules, stores, file
        case isClockTrusted = "is_clock_trusted"
        case isConfigurationInForce = "is_configuration_in_force"
    }

    /// Adds the figures of a run: its report and its measurements.
    package mutating func add(_ report: PruneReport, _ measured: Measurements) {
        for rule in report.rules {
            var sum = rules[rule.rule.description] ?? Rule()
            sum.deleted += rule.deleted
            sum.dependentsDeleted += rule.dependentsDeleted
            if let cameBack = rule.cameBack { sum.cameBack = (sum.cameBack ?? 0) + cameBack }
            sum.runs[rule.outcome.rawValue, default: 0] += 1
            sum.seconds += rule.duration / .seconds(1)
            sum.backlogSeconds = rule.outcome == .done ? 0 : measured.backlogSeconds[rule.rule]
            if [.done, .stopped].contains(rule.outcome), let left = rule.left {
                let left = rule.outcome == .done ? 0 : left
                sum.backlog = sum.backlog?.with(left) ?? Backlog([left])
            }
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
        for (name, bytes) in measured.archiveBytes {
            stores[name.description, default: Store()].archiveBytes = bytes
        }
        guard !report.rules.isEmpty else { return }
        isClockTrusted = !report.rules.contains { $0.failure?.kind == .clock }
    }
}
