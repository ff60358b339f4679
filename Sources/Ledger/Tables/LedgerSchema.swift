import SQLite

/// The tables of the ledger, `ledger/state.sqlite` in the state directory.
///
/// Times are microseconds since 1970. Rules, the findings of guards, and documents are JSON. The file has a rollback
/// journal, so that a user with only read permission can read it. `application_id` distinguishes it from other
/// databases, and `user_version` is the version of these tables.
///
/// - `history`: what happened, one row for each line of `pruned history`; with `run_rule`, `run_reclaim`,
///   `quiet_rule` and `run_size`.
/// - `last_run`: when each rule last ran to its end, and the rule at that time.
/// - `hold`: the rules that a guard holds, and what people confirmed; `confirmed_rest`: what is left of a confirmed
///   deletion.
/// - `clock`: the last reading of the clock that was believed.
/// - `document`: `metrics`, the sums over all runs; `service`, the service's record of itself; `reload`, its answer to
///   the last reload; `progress`, how far runs are.
enum LedgerSchema {
    static let version: Int64 = 1
    /// "prnl".
    static let applicationID: Int64 = 0x7072_6E6C

    private static let declarations =
        [
            """
            CREATE TABLE history (
                id INTEGER PRIMARY KEY,
                \(HistoryColumns.entry.declaration)
            ) STRICT
            """,
            "CREATE INDEX history_time ON history (time)",
            "CREATE INDEX history_run ON history (run_id) WHERE kind = 'begun'",
        ]
        + HistoryColumns.lists.map { list in
            """
            CREATE TABLE \(list.table) (
                entry INTEGER NOT NULL REFERENCES history ON DELETE CASCADE,
                position INTEGER NOT NULL,
                \(list.columns.declaration),
                PRIMARY KEY (entry, position)
            ) STRICT, WITHOUT ROWID
            """
        }
        + [
            "CREATE INDEX run_rule_rule ON run_rule (rule, entry)",
            """
            CREATE TABLE last_run (
                rule TEXT PRIMARY KEY,
                began INTEGER NOT NULL,
                said TEXT NOT NULL,
                place TEXT,
                deleted INTEGER,
                dependents_deleted INTEGER,
                duration_ms REAL,
                came_back INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE hold (
                rule TEXT PRIMARY KEY,
                seen TEXT NOT NULL,
                cause TEXT NOT NULL,
                since INTEGER NOT NULL,
                confirmed_at INTEGER,
                begun_at INTEGER,
                announced_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE confirmed_rest (
                rule TEXT PRIMARY KEY REFERENCES hold ON DELETE CASCADE,
                rows BLOB NOT NULL CHECK (length(rows) = 16)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE clock (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                time INTEGER NOT NULL,
                since_boot INTEGER NOT NULL,
                boot_id TEXT
            ) STRICT
            """,
            "CREATE TABLE document (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID",
        ]
    private static let marks = [
        "PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)",
    ]

    /// The column that tables of ledgers of older versions lack. It is the last of each of these tables.
    static let newColumn = "came_back"
    private static let widened = ["run_rule", "last_run"]

    /// The database is not a ledger of this version.
    struct Mismatch: Error {
        let cause: String
    }

    /// Creates the tables in an empty file.
    static func prepare(_ db: Database) throws {
        if try isEmpty(db) {
            try db.inTransaction {
                // Another process may have been first.
                if try isEmpty(db) { for statement in declarations + marks { try db.execute(statement) } }
            }
        }
        guard try check(db) != .current else { return }
        try db.inTransaction {
            let layout = try check(db)
            if layout == .older {
                for table in widened {
                    try db.execute("ALTER TABLE \(table) ADD COLUMN \(newColumn) INTEGER")
                }
            }
            if !layout.hasSizes {
                for statement in declarations where isOfSizes(statement) { try db.execute(statement) }
            }
        }
    }

    /// Whether the process that created the file was stopped before it wrote anything.
    static func isEmpty(_ db: Database) throws -> Bool {
        try db.value("PRAGMA application_id").integer == 0 && db.value("PRAGMA user_version").integer == 0
            && db.value("SELECT count(*) FROM sqlite_schema").integer == 0
    }

    /// Whether a ledger has all tables and columns, or only those of older versions: such without sizes, and of these such
    /// without the new column.
    enum Layout {
        case current, unsized, older

        var hasSizes: Bool { self == .current }
    }

    /// Throws ``Mismatch`` unless it is a ledger of this version.
    @discardableResult static func check(_ db: Database) throws -> Layout {
        guard try db.value("PRAGMA application_id").integer == applicationID else {
            throw Mismatch(cause: "it is a database of something else")
        }
        let number = try db.value("PRAGMA user_version").integer
        guard number == version else { throw Mismatch(cause: "its tables are of version \(number)") }
        // Whoever made the file could have added a view, a trigger or a generated column that runs without end.
        // SQLite's own statistics tables are allowed.
        let declared = try db.rows(
            """
            SELECT sql FROM sqlite_schema
            WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
            """)
        // Most ledgers have what was written, and the ledger is read many times in a run.
        let statements = Set(declared.map { $0[0].string })
        if statements == Set(declarations) { return .current }
        let found = Set(statements.map(compared))
        if found == Set(declarations.map(compared)) { return .current }
        let unsized = declarations.filter { !isOfSizes($0) }.map(compared)
        if found == Set(unsized) { return .unsized }
        guard found == Set(unsized.map { $0.replacing(addition, with: "") }) else {
            throw Mismatch(cause: "its tables are not those that pruned makes")
        }
        return .older
    }

    private static func isOfSizes(_ statement: String) -> Bool {
        statement.contains("TABLE \(HistoryColumns.sizes) ")
    }

    private static let addition = ",\(newColumn)INTEGER"

    /// A statement without blanks and quotation marks: ALTER TABLE writes them elsewhere.
    private static func compared(_ statement: String) -> String {
        String(statement.unicodeScalars.filter { !" \n\"".unicodeScalars.contains($0) })
    }
}
