import CSQLite
import Glibc

/// How the app and the service make the store, whoever of them comes first.
package enum StoreCreation {
    /// The database's name in the state directory.
    package static let fileName = "reader.sqlite"
    /// How long to wait for a lock.
    package static let patience = Duration.seconds(5)

    /// Makes sure that there is a store of this version at `path`, an absolute path in an existing directory.
    ///
    /// Safe against others who do the same at the same time, and against its own death at any instant: whoever
    /// comes next goes on. In a setgid directory the file gets mode 0660, so that the directory's group shares it;
    /// elsewhere it is its owner's alone (0600). What root makes belongs to the directory's owner.
    ///
    /// A database of another program and a store of a newer version are left alone, and reported.
    package static func createIfMissing(at path: String) throws(ReaderStoreError) {
        guard path.hasPrefix("/") else {
            throw ReaderStoreError(
                kind: .inputOutput, operation: "open the store", path: path,
                cause: "the path is not absolute",
                hint: "SQLite reads some relative paths as URIs: give the whole path")
        }
        try patiently(at: path) {
            try StoreFile(path: path).createIfMissing()
            try complete(SchemaConnection(path: path, patience: patience), path)
        }
    }

    /// Runs `body`, and again as long as another creator who is not done yet may be what it failed for. `body` throws
    /// ``SQLiteFailure`` or ``ReaderStoreError``.
    package static func patiently<Result>(
        at path: String, _ body: () throws -> Result
    ) throws(ReaderStoreError) -> Result {
        let start = ContinuousClock.now
        while true {
            do {
                return try body()
            } catch let error as ReaderStoreError {
                throw error
            } catch {
                let failure =
                    error as? SQLiteFailure ?? SQLiteFailure(code: SQLITE_IOERR, message: "\(error)")
                guard ContinuousClock.now - start < patience(with: failure) else {
                    throw .database("open the store", path: path, failure)
                }
                usleep(5_000)
            }
        }
    }

    private static func patience(with failure: SQLiteFailure) -> Duration {
        switch failure.code {
        // The switch to WAL does not wait for a lock as other statements do.
        case SQLITE_BUSY: patience
        // Under a strict umask a shared file, be it the database or SQLite's -wal and -shm, has its final mode
        // only one system call after it appeared.
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: .seconds(1)
        default: .zero
        }
    }

    private static func complete(_ db: SchemaConnection, _ path: String) throws {
        let version = try db.transaction("BEGIN") { try ReaderSchema.version(in: db, path: path) }
        guard version < ReaderSchema.version else { return }
        try db.execute("PRAGMA synchronous = NORMAL")
        if version == 0 { try prepare(db) }
        try db.transaction("BEGIN IMMEDIATE") {
            try ReaderSchema.migrate(db, from: try ReaderSchema.version(in: db, path: path))
        }
    }

    /// What must be so before there is a table.
    private static func prepare(_ db: SchemaConnection) throws {
        try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        guard try db.value("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteFailure(code: SQLITE_ERROR, message: "the file system cannot hold a write-ahead log")
        }
        // Where the first page was there already, only VACUUM applies the setting.
        if try db.number("PRAGMA auto_vacuum") != 2 { try db.execute("VACUUM") }
    }
}
