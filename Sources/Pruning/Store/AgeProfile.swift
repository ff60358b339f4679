import FoundationEssentials
import Retention

/// The ages of the rows in a rule's table and what they mean for a task, for a person to see before a run.
package struct AgeProfile: Codable, Equatable, Sendable {
    /// What the task would delete.
    package let census: Census
    /// The number of rows of other tables that would be deleted with them; nil where only the deletion can tell.
    package var dependents: Int64? = 0
    /// What may yet refuse to let the rows go.
    package var refusing = RefusingTriggers([])
    /// The rows that are old enough but stay, by reason.
    package var stay = ExemptRows()
    /// The number of rows without a deadline, for a rule on deadlines. They stay for ever.
    package var never: Int64 = 0
    /// The number of rows in the table, without those that a dry run presumes deleted.
    package let rows: Int64
    /// The oldest time among the rows that the task would delete; nil when there are none.
    package let oldestExpired: Date?
    /// The newest time among these rows.
    package let newestExpired: Date?
    /// The oldest time that has not expired: unless something else keeps it, this row expires next. Nil when there is
    /// none.
    package let next: Date?
    /// All rows with a plausible time, counted by stretches of time. No stretch lies on both sides of the cutoff or of
    /// the run's start.
    package let counts: [TimeCount]
    /// The rows of ``counts`` that are old enough but stay, by the same stretches; empty when none do.
    package var staying: [TimeCount] = []
    /// The length of a stretch in ``counts``, in seconds.
    package let grain: Int64

    package init(
        census: Census, rows: Int64, oldestExpired: Date?, newestExpired: Date?, next: Date?,
        counts: [TimeCount], grain: Int64
    ) {
        self.census = census
        self.rows = rows
        self.oldestExpired = oldestExpired
        self.newestExpired = newestExpired
        self.next = next
        self.counts = counts
        self.grain = grain
    }
}

extension PruneTask {
    /// The first whole second after the run's start.
    package var future: Date { Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down) + 1) }
}

/// The row counts of a rule's table when a run begins.
package struct Census: Codable, Equatable, Sendable {
    /// The number of rows that the rule would delete.
    package let expired: Int64
    /// The number of rows that stay because their time is not plausible in the rule's unit, and of which `where` is true. A
    /// NULL deadline is not counted here: it means "never".
    package let implausible: Int64

    package init(expired: Int64, implausible: Int64) {
        self.expired = expired
        self.implausible = implausible
    }
}

/// The number of rows that are old enough but stay, by what keeps them. Each row counts once.
package struct ExemptRows: Codable, Equatable, Sendable {
    /// Why a row stays, in the order in which the reasons are looked for.
    package enum Reason: Codable, Hashable, Comparable, Sendable {
        /// It, or a row that would be deleted with it, was restored from the archive and has a lease.
        case leased
        /// The rule's `where` is not true of it.
        case condition
        /// The `protect` condition at this index is not false of it.
        case protection(Int)
        /// The row that it refers to is there, or it refers to none.
        case owned
        /// It is among the newest, which the rule keeps.
        case newest
        /// It has no key by which a keeper could refer to it, and no time.
        case keyless
        /// Another row of its table refers to it by a foreign key, whose columns are named, and stays.
        case referredTo(String)
        /// Its key occurs in one of the rule's keepers.
        case keptBy
    }

    package var rows: [Reason: Int64] = [:]
    /// When the last of the leases ends; nil when there are none.
    package var leasesEnd: Date?

    package init() {}

    package subscript(reason: Reason) -> Int64 { rows[reason] ?? 0 }
}
