import DefaultStore
import Foundation
import GRDB

/// Opens a store: creates a missing one, and migrates an older one to this library's version.
enum StoreOpening {
    /// See ``ReaderStore/open(at:)``.
    static func open(at path: String) throws(ReaderStoreError) -> DatabaseQueue {
        guard path.isStorable else { throw .noPath(path) }
        try StoreCreation.createIfMissing(at: path)
        return try StoreCreation.patiently(at: path) {
            do {
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try checkWritable(queue, path)
                return queue
            } catch let error as DatabaseError {
                throw SQLiteFailure(error)
            }
        }
    }

    /// Throws `SQLITE_READONLY` when the connection cannot write to files that this process may write to.
    ///
    /// SQLite opens a file that it may not write to as read-only, and it stays so. A shared file that another process
    /// is creating may get its final mode only after that.
    private static func checkWritable(_ queue: DatabaseQueue, _ path: String) throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA busy_timeout = 0")
            do {
                try db.execute(sql: "BEGIN IMMEDIATE; COMMIT")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // SQLite checks whether it may write before it asks for the lock.
            } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
                let files = ["", "-wal", "-shm"].map { path + $0 }
                if files.allSatisfy({ access($0, F_OK) != 0 || access($0, W_OK) == 0 }) { throw error }
            }
            try db.execute(sql: "PRAGMA busy_timeout = \(StoreCreation.patience.components.seconds * 1_000)")
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(TimeInterval(StoreCreation.patience.components.seconds))
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000")
        }
        return configuration
    }
}
