import FoundationEssentials
import Glibc

/// The lock of a state directory, under which processes take turns with the files in it.
enum DirectoryLock {
    /// Who may hold the lock at the same time.
    enum Mode {
        case shared, exclusive
    }

    /// How long to wait for the lock: whoever has it writes a small file, unless it was stopped in the middle of that.
    private static let patience: TimeInterval = 5

    /// Calls `body` while the lock is held. When it cannot be had, throws what `failure` makes of `errno`: `EWOULDBLOCK`
    /// when another process did not release it in time.
    static func hold<Result>(
        _ directory: String, _ mode: Mode = .exclusive, failure: (Int32) -> StoreError,
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var waited: TimeInterval = 0
        while flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR || code == EWOULDBLOCK && waited < patience else { throw failure(code) }
            usleep(UInt32(interval * 1_000_000))
            waited += interval
        }
        return try body()
    }

    private static let interval: TimeInterval = 0.01
}
