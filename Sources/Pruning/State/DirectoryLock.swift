import Foundation

/// The lock of a state directory, under which processes take turns with the files in it.
enum DirectoryLock {
    /// Who may hold the lock at the same time.
    enum Mode {
        case shared, exclusive
    }

    /// Calls `body` while the lock is held. When it cannot be had, throws what `failure` makes of `errno`.
    static func hold<Result>(
        _ directory: String, _ mode: Mode = .exclusive, failure: (Int32) -> StoreError,
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        while flock(descriptor, mode == .shared ? LOCK_SH : LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(errno) }
        }
        return try body()
    }
}
