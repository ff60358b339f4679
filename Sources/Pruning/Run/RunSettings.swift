import Retention

/// How a run goes about its work, whatever its rules.
package struct RunSettings: Sendable {
    /// Only count: delete nothing, write nothing.
    package var dryRun: Bool
    /// Stores that a run creates when they are missing: a dry run takes them for empty.
    package var presumedEmpty: Set<Name>
    /// The longest a batch should keep the write lock.
    package var lockTime: Duration
    /// How long a run waits for a store that others keep busy.
    package var patience: Duration
    /// How to find the expired rows; nil: each rule as its numbers advise.
    package var accessPath: AccessPath?
    /// Whether to count the rows that are left, for a person who reads the report.
    package var countsKept: Bool
    /// Whether a dry run also looks how old the rows are.
    package var showsAges: Bool
    /// What the guards know of earlier runs.
    package var memory: GuardMemory
    /// Remembers how far a confirmed deletion has come; nil: nobody need know.
    package var holds: (any ConfirmationMemory)?
    /// Judges the clock before the run and in it; nil: it is right, as a test's is.
    package var clockGuard: ClockGuard?
    /// The archive, whose own rows are pruned last; nil: there is none.
    package var archive: (any PrunableStore)?
    /// The rules by whose columns the stores' rows are asked how new they are, where nothing else is known of the clock.
    package var witnesses: [RetentionRule] = []
    /// How a person calls this program for the same state and policy: what hints begin with.
    package var program = "pruned"
    /// The time since some fixed instant, by a clock that is never set.
    package var monotonic: @Sendable () -> Duration

    /// See the properties.
    package init(
        dryRun: Bool = false, presumedEmpty: Set<Name> = [],
        lockTime: Duration = RetentionPolicy.defaultLockTime,
        patience: Duration = Self.defaultPatience, accessPath: AccessPath? = nil, countsKept: Bool = false,
        showsAges: Bool = false,
        memory: GuardMemory = .none, clockGuard: ClockGuard? = nil,
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.dryRun = dryRun
        self.presumedEmpty = presumedEmpty
        self.lockTime = lockTime
        self.patience = patience
        self.accessPath = accessPath
        self.countsKept = countsKept
        self.showsAges = showsAges
        self.memory = memory
        self.clockGuard = clockGuard
        self.monotonic = monotonic
    }

    /// Long enough for an app's long write, short enough for a person who waits.
    package static let defaultPatience = Duration.seconds(5)
}
