import Retention

/// The settings of a run that do not depend on its rules.
package struct RunSettings: Sendable {
    /// Only counts; deletes and writes nothing.
    package var dryRun: Bool
    /// Stores that a real run would create because they are missing. A dry run treats them as empty.
    package var presumedEmpty: Set<Name>
    /// The longest lock time that a batch should have.
    package var lockTime: Duration
    /// How many stores are worked on at once.
    package var workers: Int
    /// How long a run waits for a busy store.
    package var patience: Duration
    /// How long a run waits for others that its batches burden; see ``BatchContext/burden()``.
    package var longestRelief = Duration.seconds(300)
    /// How to find the expired rows; nil lets each rule choose by its share of expired rows.
    package var accessPath: AccessPath?
    /// Whether to count the rows that are left, for a report that a person reads.
    package var countsKept: Bool
    /// Whether the rules stop when the hours end in which the run begins: the service's runs do.
    package var keepsHours = false
    /// Whether a dry run also reads how old the rows are.
    package var showsAges: Bool
    /// What the guards know about earlier runs.
    package var memory: GuardMemory
    /// Records the progress of confirmed deletions; nil when that need not be recorded.
    package var holds: (any ConfirmationMemory)?
    /// Judges the clock before and during the run; nil believes every clock, as in tests.
    package var clockGuard: ClockGuard?
    /// The archive of each store, whose own rows are pruned after the store's; none, unless it is set.
    package var archive: @Sendable (Name) -> (any PrunableStore)? = { _ in nil }
    /// The archives that no store fills any more.
    package var abandonedArchives: [any PrunableStore] = []
    /// The rules whose tables show how new the stores' rows are, when there is no other evidence about the clock.
    package var witnesses: [RetentionRule] = []
    /// Where the rules' settings come from, for errors about one of them.
    package var origins = SettingOrigins()
    /// The command line that calls this program for the same state and policy, for use in hints.
    package var program = "pruned"
    /// Where the run of one store takes place; here, unless it is set.
    package var execute: @Sendable (StoreRun) -> StoreRun.Reports = { $0.execute() }
    /// Asks the stores of the witnesses; they themselves answer, here, unless it is set.
    package var ask: ClockWitnesses.Asking?
    /// A monotonic clock: the time since some fixed instant.
    package var monotonic: @Sendable () -> Duration

    package init(
        dryRun: Bool = false, presumedEmpty: Set<Name> = [],
        lockTime: Duration = RetentionPolicy.defaultLockTime,
        workers: Int = RetentionPolicy.defaultWorkers,
        patience: Duration = Self.defaultPatience, accessPath: AccessPath? = nil, countsKept: Bool = false,
        showsAges: Bool = false,
        memory: GuardMemory = .none, clockGuard: ClockGuard? = nil,
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.dryRun = dryRun
        self.presumedEmpty = presumedEmpty
        self.lockTime = lockTime
        self.workers = workers
        self.patience = patience
        self.accessPath = accessPath
        self.countsKept = countsKept
        self.showsAges = showsAges
        self.memory = memory
        self.clockGuard = clockGuard
        self.monotonic = monotonic
    }

    /// Long enough for an app's long write, and short enough for a person who waits.
    package static let defaultPatience = Duration.seconds(5)
}
