import CSQLite
import Glibc

/// Creates the store for the app or for the service, whichever comes first.
package enum StoreCreation {
    /// The database's name.
    package static let fileName = "reader.sqlite"
    /// How long to wait for a lock.
    package static let patience = Duration.seconds(5)

    /// Makes sure that a store of this version exists at `path`, an absolute path in an existing directory.
    ///
    /// This is safe if other processes do the same at the same time. It is also safe if this process is killed at any
    /// instant: the next one continues. In a setgid directory the file has mode 0660, so that the directory's group
    /// shares it. Elsewhere only its owner can use it (0600). A file that root creates belongs to the directory's
    /// owner.
    ///
    /// A database of another program and a store of a newer version are not changed; an error reports them.
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

    /// Completes a store of an older version in the file at `path`. Does nothing if there is another program's database,
    /// or a store of a newer version.
    package static func completeOlder(at path: String) throws(ReaderStoreError) {
        do throws(ReaderStoreError) { try createIfMissing(at: path) } catch {
            guard [.foreign, .newer].contains(error.kind) else { throw error }
        }
    }

    /// Runs `body`. Repeats it as long as its failure may come from another process that is still creating the store.
    /// `body` throws ``SQLiteFailure`` or ``ReaderStoreError``.
    package static func patiently<Result>(
        at path: String, _ body: () throws -> Result
    ) throws(ReaderStoreError) -> Result {
        let start = ContinuousClock.now
        while true {
            do {
                return try body()
            } catch let error as ReaderStoreError {
                // Under a strict umask a shared directory, too, gets its final mode only after it appears.
                let mayPass = error.isOfPermission && ContinuousClock.now - start < modePatience
                guard mayPass else { throw error }
                usleep(5_000)
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

    private static let modePatience = Duration.seconds(1)

    private static func patience(with failure: SQLiteFailure) -> Duration {
        switch failure.code {
        // Unlike other statements, the switch to WAL mode does not wait for a lock.
        case SQLITE_BUSY: patience
        // Under a strict umask a shared file (the database or SQLite's -wal and -shm) gets its final mode only one
        // system call after it appears.
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: modePatience
        default: .zero
        }
    }

    private static func complete(_ db: SchemaConnection, _ path: String) throws {
        let (version, isComplete) = try db.transaction("BEGIN") {
            let version = try ReaderSchema.version(in: db, path: path)
            return try (version, version == ReaderSchema.version && ReaderSchema.isComplete(db))
        }
        guard !isComplete else { return }
        try db.execute("PRAGMA synchronous = NORMAL")
        if version == 0 { try prepare(db) }
        try db.transaction("BEGIN IMMEDIATE") {
            try ReaderSchema.migrate(db, from: try ReaderSchema.version(in: db, path: path))
        }
    }

    /// Makes the settings that must precede the first table.
    private static func prepare(_ db: SchemaConnection) throws {
        try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        guard try db.value("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteFailure(code: SQLITE_ERROR, message: "the file system cannot hold a write-ahead log")
        }
        // If the file already had its first page, only VACUUM applies the setting.
        if try db.number("PRAGMA auto_vacuum") != 2 { try db.execute("VACUUM") }
    }
}
