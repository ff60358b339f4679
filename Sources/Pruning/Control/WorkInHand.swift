import Glibc
import Retention

/// The work that a thread does in a store, watched so that the process can be ended if the work gets stuck.
///
/// A store asks now and then whether a statement should continue, but never during a single call of an SQL function.
/// Such a call may take years, and only the end of the process can stop it.
struct WorkInHand: Sendable {
    private let work: StoreWork
    private let kind: Kind
    private let begin: Moment
    /// When a statement last asked whether to continue.
    private var lastStep: Moment
    /// When a statement last asked whether to continue, or a file was last read or written.
    private var lastSign: Moment
    private let activity: ThreadActivity
    private let processorTime: @Sendable () -> Duration

    /// What kind of work it is, which decides how long it may last.
    enum Kind {
        /// A write transaction. It ends when the lock is released, whatever its statements do.
        case lock(LockTime)
        /// Statements of any kind.
        case statements
    }

    /// An instant by the monotonic clock and by the thread's processor time, and what the thread had done by then.
    private struct Moment {
        let time: Duration
        let processorTime: Duration
        let activity: Int

        /// Whether more than `limit` has passed until `now`, and the thread computed during part of that time. A thread
        /// that only waits for the disk will continue by itself.
        func isLongAgo(_ now: Moment, _ limit: Duration) -> Bool {
            now.time - time > limit && wasAtWork(until: now, for: limit)
        }

        func wasAtWork(until now: Moment, for limit: Duration) -> Bool {
            now.processorTime - processorTime > limit * WorkInHand.leastPartAtWork
        }
    }

    /// Work that the calling thread begins at `time`. `processorTime` returns how much processor time the thread has
    /// used since then.
    init(
        _ work: StoreWork, _ kind: Kind, at time: Duration,
        activity: ThreadActivity = .ofThisThread(),
        processorTime: @escaping @Sendable () -> Duration = ThreadTime.ofThisThread()
    ) {
        (self.work, self.kind, self.activity) = (work, kind, activity)
        self.processorTime = processorTime
        begin = Moment(time: time, processorTime: .zero, activity: 0)
        lastStep = Moment(time: time, processorTime: .zero, activity: activity.steps)
        lastSign = Moment(time: time, processorTime: .zero, activity: activity.steps + activity.transfers)
    }

    /// Looks for signs of life since the last look. Returns whether there were any.
    mutating func look(at time: Duration) -> Bool {
        let (steps, transfers) = (activity.steps, activity.transfers)
        let used = processorTime()
        if steps != lastStep.activity {
            lastStep = Moment(time: time, processorTime: used, activity: steps)
        }
        guard steps + transfers != lastSign.activity else { return false }
        lastSign = Moment(time: time, processorTime: used, activity: steps + transfers)
        return true
    }

    /// Whether only the end of the process can stop the work; the statement should have been interrupted long before. A
    /// thread that reads and writes files between two steps may be in a large checkpoint: it gets more time, but not
    /// unlimited time.
    func isStuck(at time: Duration, isStopping: Bool) -> Bool {
        let now = Moment(time: time, processorTime: processorTime(), activity: 0)
        switch kind {
        case .lock(let lockTime):
            let limit = isStopping ? lockTime.longest : lockTime.unbearable
            let longest = limit * Self.patienceWithLock
            return begin.isLongAgo(now, limit) && lastSign.wasAtWork(until: now, for: limit)
                || begin.isLongAgo(now, longest) && lastStep.wasAtWork(until: now, for: longest)
        case .statements:
            let limit = isStopping ? Self.longestStepAtStop : work.longestStep
            let longest = isStopping ? Self.longestTransferAtStop : limit * Self.patienceWithTransfer
            return lastSign.isLongAgo(now, limit) || lastStep.isLongAgo(now, longest)
        }
    }

    private static let leastPartAtWork = 0.25
    /// How many times longer a thread that reads and writes files may take.
    private static let (patienceWithLock, patienceWithTransfer) = (5, 60)
    /// A service manager waits ten seconds for a service to end.
    private static let (longestStepAtStop, longestTransferAtStop) = (Duration.seconds(3), Duration.seconds(8))

    /// The error that says what happened, during which work, the likely cause and what helps.
    func failure(at now: Duration) -> StuckWork {
        let since = if case .lock = kind { begin } else { lastStep }
        let taken = Int((now - since.time) / .milliseconds(1))
        let what =
            switch kind {
            case .lock: "one call of an SQL function has kept the lock for \(taken) ms"
            case .statements:
                "one call of an SQL function, such as that of a generated column, has taken \(taken) ms"
            }
        let cause = what + "; only ending the process can stop it; nothing was changed"
        let error = StoreError(
            .tooSlow, operation: work.operation, place: work.place,
            cause: [cause, work.suspect].compactMap(\.self).joined(separator: "; "),
            hint: "the rule cannot run until the app corrects this")
        return StuckWork(work: work, error: error)
    }
}

/// Work that only the end of the process can stop.
package struct StuckWork: Sendable {
    package let work: StoreWork
    package let error: StoreError
}

/// A description of work in a store, for errors about it.
package struct StoreWork: Sendable {
    /// As in ``StoreError``.
    package let operation: String, place: String
    /// The rule that the work is for; nil when it is for none.
    package let rule: RetentionRule?
    /// The likely cause if the work takes too long, as part of a sentence.
    package let suspect: String?
    /// How long a statement may compute without a sign of life.
    package let longestStep: Duration

    package init(
        _ operation: String, place: String, rule: RetentionRule? = nil, suspect: String? = nil,
        longestStep: Duration = Self.longestStep
    ) {
        (self.operation, self.place, self.rule, self.suspect) = (operation, place, rule, suspect)
        self.longestStep = longestStep
    }

    /// SQLite counts all rows of a table in one step; in this time it counts billions. A watchdog waits longer.
    package static let longestStep = Duration.seconds(10)
}

/// The processor time of a thread, read from another thread.
package enum ThreadTime {
    /// Returns a function that tells how much processor time the calling thread has used since this call. It tells zero
    /// where the system does not say.
    package static func ofThisThread() -> @Sendable () -> Duration {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return { .zero } }
        let (known, begin) = (clock, reading(of: clock))
        return { max(.zero, reading(of: known) - begin) }
    }

    private static func reading(of clock: clockid_t) -> Duration {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
