import FoundationEssentials
import Retention

/// How old the rows of a rule's table are, and what that means for a task: what a person sees before a run.
package struct AgeProfile: Equatable, Sendable {
    /// What the task would delete.
    package let census: Census
    /// The rows of other tables that would go with them; nil where only a deletion can tell.
    package var dependents: Int64? = 0
    /// What keeps rows that are old enough to go.
    package var stay = ExemptRows()
    /// The rows that have no deadline, in a rule on deadlines: they stay for ever.
    package var never: Int64 = 0
    /// The rows of the table, but for those that a dry run takes for deleted.
    package let rows: Int64
    /// The oldest time among the rows that the task would delete; nil when there are none.
    package let oldestExpired: Date?
    /// The newest time among them.
    package let newestExpired: Date?
    /// The oldest time that is not past: of the row that, unless something keeps it, expires next. Nil when there is none.
    package let next: Date?
    /// All rows with a plausible time, by that. None counts rows on both sides of the cutoff, or of the run's start.
    package let counts: [TimeCount]
    /// The length of the stretches of ``counts``, in seconds.
    package let grain: Int64

    /// See the properties.
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
    /// The first whole second that lies ahead.
    package var future: Date { Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down) + 1) }
}

/// What a rule's table holds, counted once when a run begins.
package struct Census: Equatable, Sendable {
    /// The rows that the rule would delete.
    package let expired: Int64
    /// The rows that stay because their time cannot be a time in the rule's unit. A deadline that is NULL is no such time:
    /// it never comes.
    package let implausible: Int64

    /// See the properties.
    package init(expired: Int64, implausible: Int64) {
        self.expired = expired
        self.implausible = implausible
    }
}

/// Rows that are old enough to go and stay, by what keeps them: each counts once.
package struct ExemptRows: Equatable, Sendable {
    /// Those that a lease keeps: they, or rows that would go with them, were put back from the archive.
    package var leased: Int64 = 0
    /// When the last of the leases ends; nil where there is none.
    package var leasesEnd: Date?
    /// Those of the others that are among the newest, which the rule keeps.
    package var newest: Int64 = 0
    /// Those of the rest whose key stands where the rule's keeper has it.
    package var keptBy: Int64 = 0

    /// None.
    package init() {}

    /// How many they are.
    package var total: Int64 { leased + newest + keptBy }
}
