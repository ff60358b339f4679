import Pruning
import SQLite

/// The archive's tables.
package enum ArchiveSchema {
    private static let version: Int64 = 1

    /// One row of `batch` contains a whole batch of rows. To write each of them by itself would cost more than to delete
    /// it. `has_place`: see ``ArchivedRows``. `checksum`: see ``ArchiveChecksum``. A lease names the batch of its rows and
    /// their ``Places``, until the batch itself records which rows are left. `deletion` has the rules of each run for
    /// which ``ArchiveWriter/noteDeleted()`` was called.
    private static let tables =
        [
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
                rows BLOB NOT NULL,
                has_place INTEGER NOT NULL,
                checksum INTEGER NOT NULL
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
                fingerprints BLOB NOT NULL,
                checksum INTEGER NOT NULL,
                run_id TEXT NOT NULL,
                rule TEXT NOT NULL,
                batch INTEGER,
                places BLOB
            ) STRICT
            """,
            "CREATE INDEX lease_until ON lease (until)",
            "CREATE INDEX lease_batch ON lease (batch) WHERE batch IS NOT NULL",
            "CREATE TABLE deletion (run_id TEXT NOT NULL, rule TEXT NOT NULL, PRIMARY KEY (run_id, rule)) STRICT, WITHOUT ROWID",
        ] + identityTables + ["PRAGMA user_version = \(version)"]

    /// The tables that archives of older versions lack. `identity` has for each batch the identities of its rows, see
    /// ``IdentityTable``; a row of its own, so that taking one out does not write all rows of the batch again. `look`
    /// has the ``LastLook`` of each ``IdentitySource``, and how many rows it found before it ended. `looked` has the
    /// runs that were killed and whose identities have been looked for since.
    private static let identityTables = [
        """
        CREATE TABLE identity (
            batch INTEGER PRIMARY KEY REFERENCES batch ON DELETE CASCADE,
            run_id TEXT NOT NULL,
            rule TEXT NOT NULL,
            store TEXT NOT NULL,
            "table" TEXT NOT NULL,
            kind INTEGER NOT NULL,
            hashes BLOB NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX identity_rule ON identity (rule, store)",
        """
        CREATE TABLE look (
            rule TEXT NOT NULL,
            store TEXT NOT NULL,
            "table" TEXT NOT NULL,
            kind INTEGER NOT NULL,
            began INTEGER,
            last_row INTEGER,
            last_identity INTEGER,
            found INTEGER NOT NULL,
            PRIMARY KEY (rule, store, "table", kind)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE looked (run_id TEXT NOT NULL, rule TEXT NOT NULL, PRIMARY KEY (run_id, rule)) STRICT, WITHOUT ROWID",
    ]

    /// Creates what is missing, and prepares the connection for writing. Its commits survive a power cut.
    package static func prepare(_ db: Database, path: String) throws {
        if try isUnfinished(db) {
            try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            // A commit then waits for the disk once instead of three times.
            try db.execute("PRAGMA journal_mode = WAL")
        }
        try db.execute("PRAGMA synchronous = FULL")
        if try isUnfinished(db) {
            try db.inTransaction {
                // Another process may have been first.
                if try isUnfinished(db) { for statement in tables { try db.execute(statement) } }
            }
        }
        try check(db, path: path)
        if try !hasIdentities(db) {
            try db.inTransaction {
                if try !hasIdentities(db) { for statement in identityTables { try db.execute(statement) } }
            }
        }
    }

    private static func hasIdentities(_ db: Database) throws -> Bool {
        try db.row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'identity'") != nil
    }

    /// Whether the process that created the file was killed before it wrote anything.
    static func isUnfinished(_ db: Database) throws -> Bool {
        try db.value("PRAGMA user_version").integer == 0
            && db.value("SELECT count(*) FROM sqlite_schema").integer == 0
    }

    /// Throws if it is not an archive of this version, or if somebody has added to it what may change the rows that
    /// are written to it.
    static func check(_ db: Database, path: String) throws {
        let found = try db.value("PRAGMA user_version").integer
        guard found == version else {
            throw StoreError(
                .other, operation: "open the archive", place: path,
                cause: found > version ? "a newer version created it" : "it is not an archive",
                hint: found > version
                    ? "use that version, or move the file away: the next run creates a new one"
                    : "move it away; the next run creates a new one")
        }
        try checkColumns(in: db, path: path)
        let added = "SELECT type, printf('\"%w\"', name) FROM sqlite_schema WHERE type IN ('trigger', 'view')"
        guard let object = try db.row(added) else { return }
        let (type, name) = (object[0].string, object[1].string)
        throw StoreError(
            .other, operation: "open the archive", place: path,
            cause: "somebody has added the \(type) \(name) to it, and it may not keep what is archived",
            hint: "remove it: DROP \(type.uppercased()) \(name)")
    }

    /// What cannot be read back must not be written. Damage may have changed the text of the schema alone.
    private static func checkColumns(in db: Database, path: String) throws {
        for (table, columns) in columns {
            let known = Set(
                try db.rows("SELECT name FROM pragma_table_info('\(table)')").map { $0[0].string })
            if known.isEmpty, laterTables.contains(table) { continue }
            guard let missing = columns.split(separator: " ").first(where: { !known.contains(String($0)) })
            else { continue }
            throw StoreError(
                .damaged, operation: "open the archive", place: path,
                cause: "its table \(table) has no column \(missing)",
                hint: "move it away; the next run creates a new one")
        }
    }

    private static let columns = [
        (
            "batch",
            "id run_id rule store table columns archived_at expires_at row_count rows has_place checksum"
        ),
        ("lease", "id store table until fingerprints checksum run_id rule batch places"),
        ("deletion", "run_id rule"),
        ("identity", "batch run_id rule store table kind hashes checksum"),
        ("look", "rule store table kind began last_row last_identity found"),
        ("looked", "run_id rule"),
    ]

    /// Those that archives of older versions lack.
    private static let laterTables = ["identity", "look", "looked"]
}
