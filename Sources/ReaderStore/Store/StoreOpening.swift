import Foundation
import GRDB

/// How a store is opened: made when missing, and brought to this library's version.
enum StoreOpening {
    /// How long a connection waits for a lock.
    static let patience = Duration.seconds(5)

    /// See ``ReaderStore/open(at:)``.
    static func open(at path: String) throws(ReaderStoreError) -> DatabaseQueue {
        guard path.isStorable else { throw .noPath(path) }
        guard path.hasPrefix("/") else {
            throw ReaderStoreError(
                kind: .inputOutput, operation: "open the store", path: path,
                cause: "the path is not absolute",
                hint: "SQLite reads some relative paths as URIs: give the whole path")
        }
        let start = ContinuousClock.now
        while true {
            try StoreFile(path: path).createIfMissing()
            do {
                return try openCompleted(at: path)
            } catch let error as ReaderStoreError {
                throw error
            } catch {
                guard ContinuousClock.now - start < patience(with: error) else {
                    throw .database("open the store", path: path, error)
                }
                usleep(5_000)
            }
        }
    }

    /// How long to try again, since the error may come from another creator who is not done yet.
    private static func patience(with error: any Error) -> Duration {
        switch (error as? DatabaseError)?.resultCode {
        // The switch to WAL does not wait for a lock as other statements do.
        case .SQLITE_BUSY: patience
        // Under a strict umask a shared file, be it the database or SQLite's -wal and -shm, has its final mode
        // only one system call after it appeared.
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY: .seconds(1)
        default: .zero
        }
    }

    private static func openCompleted(at path: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let version = try queue.read { try ReaderSchema.version(in: $0, path: path) }
        guard version < ReaderSchema.version else { return queue }
        try queue.writeWithoutTransaction { db in
            if version == 0 { try prepare(db) }
            try db.inTransaction(.immediate) {
                try ReaderSchema.migrate(db, from: try ReaderSchema.version(in: db, path: path))
                return .commit
            }
        }
        return queue
    }

    /// What must be so before there is a table.
    private static func prepare(_ db: Database) throws {
        try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw DatabaseError(message: "the file system cannot hold a write-ahead log")
        }
        // Where the first page was there already, only VACUUM applies the setting.
        if try Int.fetchOne(db, sql: "PRAGMA auto_vacuum") != 2 {
            try db.execute(sql: "VACUUM")
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(TimeInterval(patience.components.seconds))
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000")
        }
        return configuration
    }
}
