import Pruning

/// Watches how long the statements of a write transaction keep everybody else from writing, and ends them.
///
/// The commit is none of them: it takes as long as the disk does, and is not undone for that.
final class LockWatch {
    private let lockTime: LockTime
    private let control: RunControl
    private let work: StoreWork?
    /// Since when there is a lock; nil when there is none, and in the commit.
    private var begin: Duration?
    /// Whether the statements were ended because they took too long, and not for a stop.
    private(set) var hasEnded = false

    /// `work`: what is to be said of it where only the end of the process ends it.
    init(_ lockTime: LockTime, _ control: RunControl, _ work: StoreWork? = nil) {
        (self.lockTime, self.control, self.work) = (lockTime, control, work)
    }

    /// The lock is granted.
    func start() {
        begin = control.monotonic()
        if let work { control.lockIsHeld(by: self, for: work, lockTime) }
    }

    /// The statements are done.
    func stop() {
        begin = nil
        if work != nil { control.ends(self) }
    }

    /// Whether the statement at work is to end. A batch that takes its usual time is finished though a stop is requested.
    var endsStatement: Bool {
        guard let begin else { return false }
        let taken = control.monotonic() - begin
        hasEnded = taken > lockTime.longest
        return hasEnded || (taken > lockTime.usual && control.stopReason != nil)
    }

    /// The statements of a transaction took out of all proportion.
    struct Exceeded: Error {
        let lockTime: LockTime

        /// What happened, as part of a sentence.
        var cause: String {
            "the lock was kept for more than \(Int(lockTime.longest / .milliseconds(1))) ms,"
                + " ten times `lock_time`; it was released, and nothing was changed"
        }
    }

    /// What an error of the transaction really means.
    func meaning(of error: any Error) -> any Error {
        hasEnded ? Exceeded(lockTime: lockTime) : error
    }
}
