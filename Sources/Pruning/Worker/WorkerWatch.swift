import Retention

/// Judges whether a worker process is stuck, by what it tells and by what the kernel tells of it.
///
/// A store asks now and then whether a statement should continue, but never during a single call of an SQL function.
/// Such a call may take years, and only the end of the process can stop it.
package struct WorkerWatch {
    /// What a process has used since it began.
    package struct Usage: Equatable, Sendable {
        package let processor: Duration
        /// How many bytes it has read and written.
        package let transferred: Int64

        package init(processor: Duration, transferred: Int64) {
            (self.processor, self.transferred) = (processor, transferred)
        }
    }

    package enum Verdict: Equatable, Sendable {
        case stuck(StuckWork)
        /// It told nothing for ten minutes, or computed for ten minutes and told nothing of use.
        case silent
    }

    private let lockTime: LockTime
    /// When it told anything last, and whether that was after the last look.
    private var heard: Duration
    private var isNews = true
    /// What it had used at its last message, and at its last message or transfer of bytes.
    private var (atMessage, atSign) = (Usage.none, Usage.none)
    /// The same at the last message that tells more than that it is alive, or at its last transfer.
    private var atResult = Usage.none
    private var hasResult = true
    private var last = Usage.none
    private var work: (work: WorkInHand, since: Duration, usage: Usage?)?

    /// The watch over a worker whose transactions should last as long as `lockTime`.
    package init(_ lockTime: LockTime, at now: Duration) { (self.lockTime, heard) = (lockTime, now) }

    /// Takes a message that came at `now`.
    package mutating func hear(_ message: WorkerMessage, at now: Duration) {
        (heard, isNews) = (now, true)
        if case .alive = message {} else { hasResult = true }
        if case .at(let told) = message { work = told.map { ($0, now, nil) } }
    }

    /// Takes that nothing was heard until `now` because nobody listened.
    package mutating func goOn(at now: Duration) { heard = now }

    /// Judges the worker at `now`, when all that it told was heard. Call this at intervals.
    package mutating func look(at now: Duration, _ usage: Usage, isStopping: Bool) -> Verdict? {
        if isNews || last == .none { atMessage = usage }
        if isNews || usage.transferred != last.transferred { atSign = usage }
        if hasResult || usage.transferred != last.transferred { atResult = usage }
        (isNews, hasResult, last) = (false, false, usage)
        if let work, work.usage == nil { self.work?.usage = usage }
        if let work, work.work.hasLock, let begin = work.usage {
            let limit = isStopping ? lockTime.longest : lockTime.unbearable
            let taken = now - work.since
            func hasComputed(since: Usage, for limit: Duration) -> Bool {
                taken > limit
                    && usage.processor - max(since.processor, begin.processor) > limit * Self.leastPart
            }
            if hasComputed(since: atSign, for: limit)
                || hasComputed(since: atMessage, for: limit * Self.patienceWithTransfer)
            {
                return .stuck(stuck(taken: taken))
            }
        }
        let computed = usage.processor - atSign.processor
        if computed > (isStopping ? Self.longestStepAtStop : Self.longestStep) {
            return .stuck(stuck(taken: computed))
        }
        if usage.processor - atResult.processor > Self.longestCircle { return .silent }
        return now - heard > Self.longestSilence ? .silent : nil
    }

    /// The error that says what happened, during which work, the likely cause and what helps.
    private func stuck(taken: Duration) -> StuckWork {
        let milliseconds = Int(taken / .milliseconds(1))
        let what =
            work?.work.hasLock == true
            ? "one call of an SQL function, or one row of many megabytes, has kept the lock for \(milliseconds) ms"
            : "one call of an SQL function, such as that of a generated column, has taken \(milliseconds) ms"
        let cause = what + "; its worker process was killed; what it had not committed is as before"
        let error = StoreError(
            .tooSlow, operation: work?.work.operation ?? "look at the store", place: work?.work.place ?? "",
            cause: [cause, work?.work.suspect].compactMap(\.self).joined(separator: "; "),
            hint: "the rule fails until the app corrects this")
        return StuckWork(rule: work?.work.rule, error: error.cleaned)
    }

    /// How much processor time one step may take without a message and without a transfer. SQLite counts all rows of a table
    /// in one step.
    private static let longestStep = Duration.seconds(30)
    private static let longestStepAtStop = Duration.seconds(3)
    /// How much processor time it may take where it makes progress, but has nothing to show for it and reads and writes
    /// nothing: a damaged table may lead in circles.
    private static let longestCircle = Duration.seconds(600)
    private static let longestSilence = Duration.seconds(600)
    /// A worker that has the lock, and waits for the disk, will continue by itself: only if it computed during this part of
    /// the time it does not.
    private static let leastPart = 0.25
    /// How many times longer one with the lock may take that reads and writes: it may be in a large checkpoint.
    private static let patienceWithTransfer = 5
}

extension WorkerWatch.Usage {
    fileprivate static let none = Self(processor: .zero, transferred: -1)
}

/// Work that only the end of the process can stop.
package struct StuckWork: Equatable, Sendable {
    /// As the worker told it; nil when it is for none.
    package let rule: Name?
    package let error: StoreError
}
