import Foundation
import GRDBSQLite

/// Keeps a connection out of SQLite's "WAL-reset bug": sqlite.org/wal.html#walresetbug, before 3.51.3.
///
/// A checkpoint that begins when all of the log is in the database already, and in whose first instant a commit starts
/// the log anew, takes the new log for the old one. It then counts as checkpointed what is not, and commits are lost, of
/// whoever made them. So of these two, a checkpoint of ours must not meet a reset by others, nor a reset of ours a checkpoint
/// by others. SQLite has locks for both, but they must be another connection's, which this is.
final class LogReset {
    private let other: Database
    private var preventsCheckpoints = false

    /// For connections to the file that `uri` names, which must be in WAL mode.
    init(uri: String) throws(DatabaseError) {
        other = try Database(uri: uri, isReadOnly: false, busyTimeout: 0)
        // Only now it has the shared memory, and its locks.
        _ = try other.schemaVersion()
    }

    /// Runs `body` while nobody can start the log anew.
    ///
    /// A read transaction stands for that: it either reads from the log, which then stays, or all from the database, in which
    /// then no checkpoint may write.
    func kept<Result>(during body: () throws -> Result) throws -> Result {
        try other.inSnapshot {
            _ = try other.schemaVersion()
            return try body()
        }
    }

    /// Keeps everybody from checkpointing until ``allowCheckpoints()``. A checkpoint that is under way is waited for, but
    /// not for long: of a log that is to start anew all is in the database, and it has nothing left to do.
    func preventCheckpoints() throws(DatabaseError) {
        for _ in 0..<Self.mostTries {
            if lock(SQLITE_SHM_LOCK) {
                preventsCheckpoints = true
                return
            }
            usleep(Self.microsecondsBetweenTries)
        }
        throw DatabaseError(SQLITE_BUSY, of: nil)
    }

    /// Ends what ``preventCheckpoints()`` began, if it did.
    func allowCheckpoints() {
        guard preventsCheckpoints else { return }
        preventsCheckpoints = false
        _ = lock(SQLITE_SHM_UNLOCK)
    }

    private func lock(_ action: CInt) -> Bool {
        guard let file = other.file, let lock = file.pointee.pMethods?.pointee.xShmLock else { return false }
        return lock(file, Self.checkpointLock, 1, action | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK
    }

    /// The write lock is held meanwhile: together as long as a short batch.
    private static let mostTries = 20
    private static let microsecondsBetweenTries: UInt32 = 100

    /// The number of the lock that every checkpoint takes first; sqlite.org/walformat.html#wal_locks.
    private static let checkpointLock: CInt = 1
}
