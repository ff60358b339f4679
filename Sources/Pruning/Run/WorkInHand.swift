import Retention

/// What a store is at, for whoever can end the process.
///
/// A store asks now and then whether a statement is to go on, but not in the middle of one call of an SQL function. Such a
/// call may take years, and nothing ends it but the end of the process.
struct WorkInHand: Sendable {
    private let work: StoreWork
    private let kind: Kind
    /// Since when there is a lock, or no sign of life.
    private var since: Duration
    /// The last sign of life, and how much of the processor's time the work has used since then.
    private var lastSign: Duration
    private var processorTime: @Sendable () -> Duration

    /// What the time is for which it may last.
    enum Kind {
        /// A write transaction: it is over when the lock is free, whatever its statements do.
        case lock(LockTime)
        /// Statements of any kind, each of which now and then shows that it goes on.
        case statements
    }

    /// `work`, which the calling thread begins at `since`. `processorTime` tells how much of it this thread has used from then
    /// on.
    init(
        _ work: StoreWork, _ kind: Kind, since: Duration,
        processorTime: @escaping @Sendable () -> Duration = ThreadTime.ofThisThread()
    ) {
        (self.work, self.kind) = (work, kind)
        (self.since, lastSign, self.processorTime) = (since, since, processorTime)
    }

    /// Statements go on at `now`, in the calling thread. They say so more often than their time is worth being looked at.
    mutating func goOn(at now: Duration) {
        guard now - lastSign > .milliseconds(50) else { return }
        (lastSign, processorTime) = (now, ThreadTime.ofThisThread())
        if case .statements = kind { since = now }
    }

    /// Whoever waits for the disk has not used so much of the time, and will go on.
    private static let leastPartAtWork = 0.25

    /// Whether it can be ended by nothing else by now; the statement itself should have been ended long before.
    func isStuck(at now: Duration, isStopping: Bool) -> Bool {
        let limit = limit(isStopping)
        return now - since > limit && processorTime() > limit * Self.leastPartAtWork
    }

    private func limit(_ isStopping: Bool) -> Duration {
        switch kind {
        case .lock(let lockTime): isStopping ? lockTime.longest : lockTime.unbearable
        case .statements: isStopping ? Self.longestStepAtStop : work.longestStep
        }
    }

    private static let longestStepAtStop = Duration.seconds(3)

    /// What happened, what is to blame and what helps, and at which work.
    func failure(at now: Duration) -> StuckWork {
        let taken = Int((now - since) / .milliseconds(1))
        let what =
            switch kind {
            case .lock: "one call of an SQL function has kept the lock for \(taken) ms"
            case .statements:
                "one call of an SQL function, such as that of a generated column, has taken \(taken) ms"
            }
        let cause = what + ", and nothing but the end of the process ends it; nothing was changed"
        let error = StoreError(
            .tooSlow, operation: work.operation, place: work.place,
            cause: [cause, work.suspect].compactMap(\.self).joined(separator: "; "),
            hint: "the store's app must mend that: until then the rule cannot run")
        return StuckWork(work: work, error: error)
    }
}

/// Work that nothing can end but the end of the process.
public struct StuckWork: Sendable {
    /// See ``StoreWork``.
    public let work: StoreWork
    /// What is to be said of it.
    public let error: StoreError

    /// Why others stop.
    public var stopReason: String { "work on \(work.place) does not end, and so the process has to" }
}

/// What is done in a store.
public struct StoreWork: Sendable {
    /// As a ``StoreError`` says it.
    public let operation: String, place: String
    /// The rule for which; nil where it is none's.
    public let rule: RetentionRule?
    /// What is to blame if it takes too long, as part of a sentence.
    public let suspect: String?
    /// For how long a statement may compute without a sign of life.
    public let longestStep: Duration

    /// See the properties.
    public init(
        _ operation: String, place: String, rule: RetentionRule? = nil, suspect: String? = nil,
        longestStep: Duration = Self.longestStep
    ) {
        (self.operation, self.place, self.rule, self.suspect) = (operation, place, rule, suspect)
        self.longestStep = longestStep
    }

    /// SQLite counts all rows of a table in one step: in so long billions of them. A watchdog waits longer.
    public static let longestStep = Duration.seconds(10)
}
