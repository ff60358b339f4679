import CSQLite
import Glibc

/// Protects a connection from SQLite's "WAL-reset bug": sqlite.org/wal.html#walresetbug, in versions before 3.51.3.
///
/// The bug needs a checkpoint that begins when the whole log is already in the database, and a commit that restarts the
/// log in the first instant of that checkpoint. The checkpoint takes the new log for the old one, and marks frames as
/// checkpointed that are not. Commits of any process can then be lost.
///
/// So a checkpoint of pruned must not coincide with a reset by another process, nor a reset by pruned with another
/// process's checkpoint. SQLite has locks for both (sqlite.org/walformat.html#wal_locks), but another connection must
/// take them. This type opens that connection. Two other processes can still coincide, on a log that a checkpoint of
/// pruned has completed.
package final class LogReset {
    private let other: Database
    private var held: Held?

    /// The lock that a transaction has in addition to the write lock.
    private enum Held {
        case checkpoints
        case mark(CInt)
    }

    /// For the connection `db`, which must be in WAL mode and must have read from the database.
    package init(of db: Database) throws(DatabaseError) {
        do throws(DatabaseError) {
            other = try Database(
                uri: db.uri, in: db.directory, isReadOnly: false, busyTimeout: db.busyTimeout)
        } catch  where error.code & 0xFF == SQLITE_CANTOPEN {
            throw Self.replaced  // the file of `db` could be opened before
        }
        // A connection has the shared memory and its locks only after it has read.
        _ = try other.schemaVersion()
        guard try other.isWAL(), let memory = other.sharedMemory, memory == db.sharedMemory else {
            throw Self.replaced
        }
    }

    private static var replaced: DatabaseError {
        DatabaseError(code: moved, message: "another file has replaced it")
    }

    /// SQLITE_READONLY_DBMOVED, a macro that Swift cannot import.
    package static let moved = SQLITE_READONLY | 4 << 8

    /// Runs `body` while no process can restart the log.
    ///
    /// A read transaction prevents that. If it reads from the log, the log stays. If it reads only from the database,
    /// no checkpoint may write to the database meanwhile.
    package func withoutReset<Result>(_ body: () throws -> Result) throws -> Result {
        try other.inSnapshot {
            _ = try other.schemaVersion()
            return try body()
        }
    }

    /// Whether no reader uses the log. SQLite makes the same check before a commit restarts the log.
    package func canReset() -> Bool {
        let (first, count) = (Self.readMarks.lowerBound, CInt(Self.readMarks.count))
        guard lock(first, count: count, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) else { return false }
        _ = lock(first, count: count, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
        return true
    }

    /// Prevents checkpoints by others until ``release()``. If another process is checkpointing and does not end soon,
    /// this returns without the lock.
    ///
    /// Call this before the write lock is taken, because a checkpoint may wait for that lock.
    package func preventCheckpoints() {
        for _ in 0..<Self.mostTries {
            if lock(Self.checkpointLock, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) {
                held = .checkpoints
                return
            }
            usleep(Self.microsecondsBetweenTries)
        }
    }

    /// Makes the transaction that has just taken the write lock append to the log: until ``release()`` nobody restarts
    /// it. Does nothing if ``preventCheckpoints()`` has the lock.
    ///
    /// SQLite restarts the log when it writes the first page, but not while the mark of a reader is in use.
    package func preventReset() throws(DatabaseError) {
        guard held == nil else { return }
        for _ in 0..<Self.mostTries {
            for mark in Self.readMarks where lock(mark, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) {
                held = .mark(mark)
                return
            }
            usleep(Self.microsecondsBetweenTries)
        }
        throw DatabaseError(SQLITE_BUSY, of: nil)
    }

    /// Releases the lock of ``preventCheckpoints()`` or ``preventReset()``.
    package func release() {
        switch held {
        case .mark(let mark): _ = lock(mark, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED)
        case .checkpoints: _ = lock(Self.checkpointLock, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
        case nil: break
        }
        held = nil
    }

    private func lock(_ first: CInt, count: CInt = 1, _ action: CInt) -> Bool {
        guard let file = other.file, let lock = file.pointee.pMethods?.pointee.xShmLock else { return false }
        return lock(file, first, count, action) == SQLITE_OK
    }

    /// The lock of every checkpoint.
    package static let checkpointLock: CInt = 1
    /// The locks of readers of the log. Another process has one of them exclusively only for an instant, while it moves
    /// the mark.
    private static let readMarks: ClosedRange<CInt> = 4...7
    private static let mostTries = 10
    private static let microsecondsBetweenTries: UInt32 = 100
}
