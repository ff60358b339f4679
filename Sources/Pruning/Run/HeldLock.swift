import Retention

/// A write transaction at work, for whoever can end the process.
///
/// A store asks now and then whether a statement is to go on, but not in the middle of one call of an SQL function. Such a
/// call may take years, keeps the lock all the time, and nothing ends it but the end of the process.
public struct HeldLock: Sendable {
    /// The rule's task; nil where it is none's.
    public let task: PruneTask?
    private let work: LockedWork
    private let lockTime: LockTime
    private let since: Duration
    private let processorTime: @Sendable () -> Duration

    /// A lock that the calling thread has been granted at `since`. `processorTime` tells how much of it this thread has used
    /// from then on.
    init(
        _ work: LockedWork, _ lockTime: LockTime, since: Duration,
        processorTime: @escaping @Sendable () -> Duration = ThreadTime.ofThisThread()
    ) {
        (self.work, self.lockTime, self.since) = (work, lockTime, since)
        (task, self.processorTime) = (work.task, processorTime)
    }

    /// Whoever waits for the disk has not used so much of the time, and will go on.
    private static let leastPartAtWork = 0.25

    /// Whether it can be ended by nothing else by now; the statement itself should have been ended long before.
    func isStuck(at now: Duration, isStopping: Bool) -> Bool {
        let limit = isStopping ? lockTime.longest : lockTime.unbearable
        return now - since > limit && processorTime() > limit * Self.leastPartAtWork
    }

    /// What happened, what is to blame and what helps.
    func failure(at now: Duration) -> StoreError {
        let taken = Int((now - since) / .milliseconds(1))
        let cause =
            "one call of an SQL function has kept the lock for \(taken) ms, and nothing but the end of the process ends it;"
            + " nothing was changed"
        return StoreError(
            .tooSlow, operation: work.operation, place: work.place,
            cause: [cause, work.suspect].compactMap(\.self).joined(separator: "; "),
            hint: "the store's app must mend that: until then the rule cannot run")
    }
}

/// What is done under a lock.
public struct LockedWork: Sendable {
    /// As a ``StoreError`` says it.
    public let operation: String, place: String
    /// The rule's task; nil where it is none's.
    public let task: PruneTask?
    /// What is to blame if it takes too long, as part of a sentence.
    public let suspect: String?

    /// See the properties.
    public init(_ operation: String, place: String, task: PruneTask? = nil, suspect: String? = nil) {
        (self.operation, self.place, self.task, self.suspect) = (operation, place, task, suspect)
    }
}
