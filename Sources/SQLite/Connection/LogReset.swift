import CSQLite
import Glibc

/// Keeps a connection out of SQLite's "WAL-reset bug": sqlite.org/wal.html#walresetbug, before 3.51.3.
///
/// A checkpoint that begins when all of the log is in the database already, and in whose first instant a commit starts
/// the log anew, takes the new log for the old one. It then counts as checkpointed what is not, and commits are lost, of
/// whoever made them. So a checkpoint of ours must not meet a reset by others, nor a reset of ours a checkpoint by others.
/// SQLite has locks for both, sqlite.org/walformat.html#wal_locks, but they must be another connection's, which this has.
/// (Two others can still meet, on a log that a checkpoint of ours has completed.)
package final class LogReset {
    private let other: Database
    private var held: Held?

    /// The lock that a transaction has besides the write lock.
    private enum Held {
        case checkpoints
        case mark(CInt)
    }

    /// For the connection `db`, which must be in WAL mode and have been read from.
    package init(of db: Database) throws(DatabaseError) {
        do throws(DatabaseError) {
            other = try Database(
                uri: db.uri, in: db.directory, isReadOnly: false, busyTimeout: db.busyTimeout)
        } catch  where error.code & 0xFF == SQLITE_CANTOPEN {
            throw Self.replaced  // what `db` has open could be opened
        }
        // Only a connection that has read has the shared memory and its locks.
        _ = try other.schemaVersion()
        guard try other.isWAL(), let memory = other.sharedMemory, memory == db.sharedMemory else {
            throw Self.replaced
        }
    }

    private static var replaced: DatabaseError {
        DatabaseError(code: moved, message: "another file has replaced it")
    }

    /// SQLITE_READONLY_DBMOVED, a macro that does not come to Swift.
    package static let moved = SQLITE_READONLY | 4 << 8

    /// Runs `body` while nobody can start the log anew.
    ///
    /// A read transaction stands for that: it either reads from the log, which then stays, or all from the database, in which
    /// then no checkpoint may write.
    package func withoutReset<Result>(_ body: () throws -> Result) throws -> Result {
        try other.inSnapshot {
            _ = try other.schemaVersion()
            return try body()
        }
    }

    /// Whether no reader reads from the log. SQLite asks in the same way, when a commit could start it anew.
    package func canReset() -> Bool {
        let (first, count) = (Self.readMarks.lowerBound, CInt(Self.readMarks.count))
        guard lock(first, count: count, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) else { return false }
        _ = lock(first, count: count, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
        return true
    }

    /// Keeps others from checkpointing until ``release()``, unless somebody does and goes on with it.
    ///
    /// To be called before the write lock is taken, as a checkpoint may wait for that.
    package func preventCheckpoints() {
        for _ in 0..<Self.mostTries {
            if lock(Self.checkpointLock, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) {
                held = .checkpoints
                return
            }
            usleep(Self.microsecondsBetweenTries)
        }
    }

    /// Has the transaction that has just taken the write lock append to the log, unless others are kept from checkpointing:
    /// until ``release()``, nobody starts it anew.
    ///
    /// SQLite starts the log anew when it has to write the first page, and leaves that where the mark of a reader is in use.
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

    /// Ends what ``preventCheckpoints()`` and ``preventReset()`` began.
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

    /// That of every checkpoint.
    package static let checkpointLock: CInt = 1
    /// Of readers that read from the log. Another one has such a lock to itself for an instant at the most, as it moves
    /// the mark.
    private static let readMarks: ClosedRange<CInt> = 4...7
    private static let mostTries = 10
    private static let microsecondsBetweenTries: UInt32 = 100
}
