import FoundationEssentials

/// How new the rows are that a rule would delete, beside the other rows of its table.
package struct Recency: Equatable, Sendable {
    /// The newest time among the rows that would go.
    package let newestExpired: Date
    /// How many rows are newer than all of these.
    package let newer: Int64
    /// The number of rows with a plausible time; nil if it was not asked for.
    package let timed: Int64?

    package init(newestExpired: Date, newer: Int64, timed: Int64?) {
        self.newestExpired = newestExpired
        self.newer = newer
        self.timed = timed
    }

    /// How many rows must be newer than `expired` ones that would go, so that none of these is among the newest tenth of all
    /// these rows.
    package static func enough(for expired: Int64) -> Int64 { expired / 9 + (expired % 9 == 0 ? 0 : 1) }

    /// Whether a row would go that is among the newest tenth of `expired` rows that would go, and of the newer ones; or of
    /// all rows with a time, where these were counted.
    package func reachesNewest(by expired: Int64) -> Bool {
        guard let timed else { return newer < Self.enough(for: expired) }
        return newer < timed / 10 + (timed % 10 == 0 ? 0 : 1)
    }
}
