import FoundationEssentials
import Glibc
import Retention

/// What a store is at, for whoever can end the process.
///
/// A store asks now and then whether a statement is to go on, but not in the middle of one call of an SQL function. Such a
/// call may take years, and nothing ends it but the end of the process.
struct WorkInHand: Sendable {
    private let work: StoreWork
    private let kind: Kind
    private let begin: Moment
    /// When a statement last asked whether to go on.
    private var lastStep: Moment
    /// The same, or when a piece of a file was last read or written.
    private var lastSign: Moment
    private let activity: ThreadActivity
    private let processorTime: @Sendable () -> Duration

    /// What the time is for which it may last.
    enum Kind {
        /// A write transaction: it is over when the lock is free, whatever its statements do.
        case lock(LockTime)
        /// Statements of any kind.
        case statements
    }

    /// By both clocks, and what the thread had done by then.
    private struct Moment {
        let time: Duration
        let processorTime: Duration
        let activity: Int

        /// Whether more than `limit` has passed until `now`, at least a part of it at work: whoever waits for the disk will
        /// go on.
        func isLongAgo(_ now: Moment, _ limit: Duration) -> Bool {
            now.time - time > limit && wasAtWork(until: now, for: limit)
        }

        func wasAtWork(until now: Moment, for limit: Duration) -> Bool {
            now.processorTime - processorTime > limit * WorkInHand.leastPartAtWork
        }
    }

    /// `work`, which the calling thread begins at `time`. `processorTime` tells how much of it this thread has used from then
    /// on.
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

    /// Looks for signs of life since the last look; whether there are any.
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

    /// Whether it can be ended by nothing else by now; the statement itself should have been ended long before. What reads and
    /// writes on and on between two steps may be a large checkpoint: it has more time, but not for ever.
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
    /// How many times as long what reads and writes may take.
    private static let (patienceWithLock, patienceWithTransfer) = (5, 60)
    /// A service manager waits ten seconds for the end.
    private static let (longestStepAtStop, longestTransferAtStop) = (Duration.seconds(3), Duration.seconds(8))

    /// What happened, what is to blame and what helps, and at which work.
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

/// Work that nothing can end but the end of the process.
package struct StuckWork: Sendable {
    /// See ``StoreWork``.
    package let work: StoreWork
    /// What is to be said of it.
    package let error: StoreError

    /// Why others stop.
    package var stopReason: String { "work on \(work.place) does not end, so the process must" }
}

/// What is done in a store.
package struct StoreWork: Sendable {
    /// As a ``StoreError`` says it.
    package let operation: String, place: String
    /// The rule for which; nil where it is none's.
    package let rule: RetentionRule?
    /// What is to blame if it takes too long, as part of a sentence.
    package let suspect: String?
    /// For how long a statement may compute without a sign of life.
    package let longestStep: Duration

    /// See the properties.
    package init(
        _ operation: String, place: String, rule: RetentionRule? = nil, suspect: String? = nil,
        longestStep: Duration = Self.longestStep
    ) {
        (self.operation, self.place, self.rule, self.suspect) = (operation, place, rule, suspect)
        self.longestStep = longestStep
    }

    /// SQLite counts all rows of a table in one step: in so long billions of them. A watchdog waits longer.
    package static let longestStep = Duration.seconds(10)
}

/// The processor time of a thread, asked from another one.
package enum ThreadTime {
    /// Tells that of the thread that calls this, from now on. Zero where the system does not say.
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
