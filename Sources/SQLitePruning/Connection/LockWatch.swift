import Pruning

/// Measures how long the statements of a write transaction block other writers, and ends them if that is too long.
///
/// The commit is not limited: it takes as long as the disk needs, and a slow commit is not undone.
final class LockWatch {
    private let lockTime: LockTime
    private let control: RunControl
    private let work: StoreWork?
    /// When the lock was granted; nil without a lock and during the commit.
    private var begin: Duration?
    /// Whether the statements were ended because they took too long, and not because of a stop request.
    private(set) var hasEnded = false

    /// `work` is what is reported if only the end of the process can end the statements.
    init(_ lockTime: LockTime, _ control: RunControl, _ work: StoreWork? = nil) {
        (self.lockTime, self.control, self.work) = (lockTime, control, work)
    }

    /// Call this when the lock was granted.
    func start() {
        begin = control.monotonic()
        if let work { control.begins(work, by: self, hasLock: true) }
    }

    /// Call this when the statements are done.
    func stop() {
        begin = nil
        if work != nil { control.ends(self) }
    }

    /// Whether the running statement must end. A batch within its usual time is finished even if a stop is requested.
    var endsStatement: Bool {
        guard let begin else { return false }
        let taken = control.monotonic() - begin
        hasEnded = taken > lockTime.longest
        return hasEnded || (taken > lockTime.usual && control.stopReason != nil)
    }

    /// The statements of a transaction exceeded ``LockTime/longest``.
    struct Exceeded: Error {
        let lockTime: LockTime

        /// The cause, as part of a sentence.
        var cause: String {
            "the lock was kept for more than \(Int(lockTime.longest / .milliseconds(1))) ms,"
                + " ten times `lock_time`; it was released, and nothing was changed"
        }
    }

    /// Replaces an error of the transaction by ``Exceeded`` if the watch ended the statements.
    func meaning(of error: any Error) -> any Error {
        hasEnded ? Exceeded(lockTime: lockTime) : error
    }
}
