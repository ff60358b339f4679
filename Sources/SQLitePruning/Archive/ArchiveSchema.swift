import FoundationEssentials
import Glibc
import Pruning
import SQLite

/// The archive's file and tables.
enum ArchiveSchema {
    private static let version: Int64 = 2

    /// The tables of version 1. A batch of rows stands in one row of `batch`: to write each by itself would cost more than
    /// to delete it.
    private static let tables = [
        """
        CREATE TABLE batch (
            id INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL,
            rule TEXT NOT NULL,
            store TEXT NOT NULL,
            "table" TEXT NOT NULL,
            columns TEXT NOT NULL,
            archived_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            row_count INTEGER NOT NULL,
            rows BLOB NOT NULL
        ) STRICT
        """,
        "CREATE INDEX batch_run ON batch (run_id, rule)",
        "CREATE INDEX batch_expires ON batch (expires_at)",
        """
        CREATE TABLE lease (
            id INTEGER PRIMARY KEY,
            store TEXT NOT NULL,
            "table" TEXT NOT NULL,
            until INTEGER NOT NULL,
            fingerprints BLOB NOT NULL
        ) STRICT
        """,
        "CREATE INDEX lease_until ON lease (until)",
    ]

    /// What version 2 adds. `has_place`: see ``ArchivedRows``; `checksum`: see ``ArchiveChecksum``; both are NULL in what
    /// version 1 has written. A lease tells which batch its rows are from, and their ``Places``, until that batch says
    /// itself what is left of it. `deletion` has the rules of which ``ArchiveWriter/noteDeleted()`` is known.
    private static let secondVersion = [
        "ALTER TABLE batch ADD COLUMN has_place INTEGER",
        "ALTER TABLE batch ADD COLUMN checksum INTEGER",
        "ALTER TABLE lease ADD COLUMN checksum INTEGER",
        "ALTER TABLE lease ADD COLUMN run_id TEXT",
        "ALTER TABLE lease ADD COLUMN rule TEXT",
        "ALTER TABLE lease ADD COLUMN batch INTEGER",
        "ALTER TABLE lease ADD COLUMN places BLOB",
        "CREATE INDEX lease_batch ON lease (batch) WHERE batch IS NOT NULL",
        "CREATE TABLE deletion (run_id TEXT NOT NULL, rule TEXT NOT NULL, PRIMARY KEY (run_id, rule)) STRICT, WITHOUT ROWID",
        "PRAGMA user_version = 2",
    ]

    /// Who shares the state directory can read what was archived.
    private static let mode: mode_t = 0o640

    /// Makes an empty file when there is none, without opening it: closing it would drop SQLite's locks.
    static func createFile(_ file: StoreFile) throws(StoreError) {
        let directory = file.directory.descriptor
        guard mknodat(directory, file.name, S_IFREG | mode, 0) == 0 else {
            guard errno != EEXIST else { return }
            throw .system(errno, operation: "create the archive", place: file.path)
        }
        // Whatever the umask. Not by its name, which may be another's by now.
        let made = openat(directory, file.name, CheckedOpen.look)
        guard made >= 0 else { return }
        defer { close(made) }
        if FileFacts(of: made)?.isRegular ?? false { chmod("/proc/self/fd/\(made)", mode) }
    }

    /// Makes what is missing, and sets the connection up to write. What it commits outlives a power cut.
    static func prepare(_ db: Database, path: String) throws {
        if try isUnfinished(db) {
            try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            // A commit then waits for the disk once, and not three times.
            try db.execute("PRAGMA journal_mode = WAL")
        }
        try db.execute("PRAGMA synchronous = FULL")
        if try isUnfinished(db) || db.value("PRAGMA user_version").integer == 1 { try write(db) }
        try check(db, path: path)
    }

    /// Whether whoever made the file was killed before there was anything in it.
    static func isUnfinished(_ db: Database) throws -> Bool {
        try db.value("PRAGMA user_version").integer == 0
            && db.value("SELECT count(*) FROM sqlite_schema").integer == 0
    }

    /// Whether it has what version 2 has. A version 1 is read as it is, until something is written to it.
    static func isSecondVersion(_ db: Database) throws -> Bool {
        try db.value("PRAGMA user_version").integer >= 2
    }

    /// Makes the tables, or what version 1 lacks of them.
    private static func write(_ db: Database) throws {
        try db.beginImmediate()
        do {
            // Another process may have been first.
            if try isUnfinished(db) {
                for statement in tables + ["PRAGMA user_version = 1"] { try db.execute(statement) }
            }
            if try db.value("PRAGMA user_version").integer == 1 {
                for statement in secondVersion { try db.execute(statement) }
            }
            try db.commit()
        } catch {
            db.rollback()
            throw error
        }
    }

    /// Throws when it is not an archive of this version.
    static func check(_ db: Database, path: String) throws {
        let found = try db.value("PRAGMA user_version").integer
        guard !(1...version).contains(found) else { return }
        throw StoreError(
            .other, operation: "open the archive", place: path,
            cause: found > version ? "a newer version created it" : "it is not an archive",
            hint: found > version
                ? "use that version, or move the file away: the next run creates a new one"
                : "move it away; the next run creates a new one")
    }
}
