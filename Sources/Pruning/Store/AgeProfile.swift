import Foundation
import Retention

/// How old the rows of a rule's table are, and what that means for a task: what a person sees before a run.
public struct AgeProfile: Equatable, Sendable {
    /// What the task would delete.
    public let census: Census
    /// The rows of other tables that would go with them; nil where only a deletion can tell.
    public var dependents: Int64? = 0
    /// What keeps rows that are old enough to go.
    public var stay = OldRowsThatStay()
    /// The rows that have no deadline, in a rule on deadlines: they stay for ever.
    public var never: Int64 = 0
    /// The rows of the table, but for those that a dry run takes for deleted.
    public let rows: Int64
    /// The oldest time among the rows that the task would delete; nil when there are none.
    public let oldestExpired: Date?
    /// The newest time among them.
    public let newestExpired: Date?
    /// The oldest time that is not past: of the row that, unless something keeps it, expires next. Nil when there is none.
    public let next: Date?
    /// All rows with a plausible time, by that. None counts rows on both sides of the cutoff, or of the run's start.
    public let counts: [TimeCount]
    /// The length of the stretches of ``counts``, in seconds.
    public let grain: Int64

    /// See the properties.
    public init(
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
    public var future: Date { Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down) + 1) }
}
