/// All that is attacked.
///
/// The lock time is long, so that the sizes of batches do not follow the clock. A rule begins with a batch of one row and grows from there, so five rules on tables of sixty rows make twenty batches.
extension Operation {
    static let all: [Operation] = [
        deleting("wal", "WAL", calls: 1600), deleting("delete", "DELETE", calls: 2500),
        deleting("truncate", "TRUNCATE", calls: 2500), deleting("persist", "PERSIST", calls: 2500),
        archiving("archive-wal", "WAL", calls: 1800), archiving("archive-delete", "DELETE", calls: 2700),
        marking, restoring, reclaiming, confirming, confirmedRun, creating, holding, doubting, leased,
        leasedFromOthers,
    ]

    private static let tables = (1...5).map { "t\($0)" }

    private static func filled(_ journal: String, rows: Int = 60) -> String {
        """
        PRAGMA journal_mode = \(journal);
        CREATE TABLE app (id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE part (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES t5 ON DELETE CASCADE, body BLOB);
        """
            + tables.map { table in
                """
                CREATE TABLE \(table) (id INTEGER PRIMARY KEY, at INTEGER, body BLOB, fate TEXT);
                WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                INSERT INTO \(table) SELECT i, NOW - 86400 * iif(i % 4 = 0, i % 20, 40 + i), randomblob(70),
                    iif(i % 4 = 0, 'stays', 'goes') FROM n;
                """
            }.joined()
                + """
                CREATE INDEX t1_at ON t1 (at); CREATE UNIQUE INDEX t2_body ON t2 (body);
                INSERT INTO part SELECT id, id, body FROM t5;
                """
    }

    private static let rows = tables.map { "SELECT id, at, hex(body), fate FROM \($0) WHERE fate = 'stays'" }
    private static let archived = tables.prefix(4).map {
        "SELECT '\($0)', id, at, hex(body), fate FROM \($0)"
    }
    private static let goes = tables.map { "SELECT count(*) FROM \($0) WHERE fate = 'goes'" }

    private static func policy(_ rules: [String], archives: Bool = false, share: String = "1") -> String {
        """
        time_zone = "UTC"
        [guard]
        max_share = \(share)
        min_rows = 10
        [batch]
        lock_time = "1s"
        [store.app]
        path = "\(storeName)"

        """
            + rules.map { table in
                """
                [rule.\(table)]
                table = "\(table)"
                age_column = "at"
                keep = "30d"
                archive = \(archives)
                dependents = [\(table == "t5" && !archives ? "\"part\"" : "")]

                """
            }.joined()
    }

    private static func deleting(_ name: String, _ journal: String, calls: Int) -> Operation {
        Operation(
            name: name, store: filled(journal), policy: policy(tables), command: ["--run-now", "--json"],
            left: goes, live: rows,
            never: ["SELECT id FROM part WHERE owner NOT IN (SELECT id FROM t5)"],
            most: Counts(calls: calls, writes: 480, sqlite: 63000, others: 30000))
    }

    private static func archiving(_ name: String, _ journal: String, calls: Int) -> Operation {
        let tables = Array(tables.prefix(4))
        return Operation(
            name: name, store: filled(journal), policy: policy(tables, archives: true),
            command: ["--run-now", "--json"], left: Array(goes.prefix(4)),
            live: rows, archived: archived,
            most: Counts(calls: calls, writes: 650, sqlite: 68000, others: 32000))
    }

    /// One rule marks and one deletes; both leave tombstones.
    private static let marking = Operation(
        name: "mark",
        store: filled("WAL") + """
            ALTER TABLE t1 ADD deleted INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE known (name TEXT, id INTEGER, PRIMARY KEY (name, id));
            INSERT INTO known SELECT 't1', id FROM t1; INSERT INTO known SELECT 't2', id FROM t2;
            CREATE TABLE gone1 (id INTEGER PRIMARY KEY);
            CREATE TABLE gone2 (id INTEGER PRIMARY KEY);
            """,
        policy: policy(["t1"]) + """
            action = { set = { deleted = 1 } }

            """ + policy(["t2"]).split(separator: "[rule.t2]").dropFirst().map { "[rule.t2]" + $0 }.joined()
                + """
                tombstone = { table = "gone2", columns = { id = "id" } }

                """,
        command: ["--run-now", "--json"],
        left: ["SELECT count(*) FROM t1 WHERE fate = 'goes' AND deleted = 0", goes[1]],
        live: rows + ["SELECT id, at, hex(body), fate FROM t1"],
        never: [
            "SELECT id FROM t1 WHERE fate = 'stays' AND deleted <> 0",
            """
            SELECT id FROM known WHERE name = 't2'
                AND (id IN (SELECT id FROM t2)) = (id IN (SELECT id FROM gone2))
            """,
        ],
        most: Counts(calls: 660, writes: 180, sqlite: 36000, others: 16000))

    private static let restoring = Operation(
        name: "restore", store: filled("WAL"), policy: policy(Array(tables.prefix(4)), archives: true),
        before: [["--run-now", "--json"]], command: ["restore", "RUN", "--json"],
        left: tables.prefix(4).map { "SELECT count(*) - 45 FROM \($0) WHERE fate = 'goes'" },
        live: rows, archived: archived, most: Counts(calls: 1700, writes: 330, sqlite: 20000, others: 20500))

    private static let reclaiming = Operation(
        name: "reclaim",
        store: "PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL;" + filled("WAL", rows: 400)
            + "CREATE INDEX t2_at ON t2 (at); DELETE FROM t1; DELETE FROM t3 WHERE id < 300;",
        policy: policy(["t2"]), command: ["--run-now", "--json"], left: [goes[1]], live: rows,
        most: Counts(calls: 1980, writes: 1520, sqlite: 24500, others: 12500))

    private static let held = policy(["t1", "t2"], share: "0.5")

    /// A confirmation; nothing is deleted before the run that takes it.
    private static let confirming = Operation(
        name: "confirm", store: filled("WAL"), policy: held, beforeInPlace: [["--run-now", "--json"]],
        command: ["confirm", "t1"], after: [["confirm", "t2"], ["--run-now", "--json"]],
        left: Array(goes.prefix(2)), live: rows + ["SELECT id, at, hex(body), fate FROM t3"],
        most: Counts(calls: 80, writes: 20, sqlite: 3600, others: 5800))

    private static let confirmedRun = Operation(
        name: "confirmed-run", store: filled("DELETE"), policy: held,
        beforeInPlace: [["--run-now", "--json"]],
        command: ["--run-now", "--json", "--confirm", "t1", "--confirm", "t2"], mayBeHeld: true,
        left: Array(goes.prefix(2)), live: rows,
        most: Counts(calls: 1450, writes: 370, sqlite: 39000, others: 19500))

    /// The default store and the ledger from nothing.
    private static let creating = Operation(
        name: "create", command: ["--run-now", "--json"],
        left: [
            "SELECT count(*) <> 12 FROM sqlite_schema WHERE sql IS NOT NULL",
            "SELECT auto_vacuum <> 2 FROM pragma_auto_vacuum",
            "SELECT journal_mode <> 'wal' FROM pragma_journal_mode",
        ],
        app: "BEGIN IMMEDIATE; COMMIT",
        most: Counts(calls: 390, writes: 120, sqlite: 52000, others: 18500))

    private static let allRows = tables.map { "SELECT id, at, hex(body), fate FROM \($0)" }

    /// The share guard holds both rules: nothing is deleted, whatever cannot be read.
    private static let holding = Operation(
        name: "held", store: filled("WAL"), policy: policy(["t1", "t2"], share: "0.5"),
        before: [["--run-now", "--json"]], command: ["--run-now", "--json"], ends: 3, live: allRows,
        most: Counts(calls: 330, writes: 60, sqlite: 22000, others: 11600))

    /// The clock is ahead, and the ledger knows it.
    private static let doubting = Operation(
        name: "doubted", store: filled("WAL"), policy: policy(["t1", "t2"]),
        before: [["--run-now", "--json"]],
        command: ["--run-now", "--json"], ends: 3, daysAhead: 300, live: allRows,
        most: Counts(calls: 145, writes: 24, sqlite: 10000, others: 7500, ledger: 7500))

    /// All that has expired was put back, and has a lease.
    private static let leased = Operation(
        name: "leased", store: filled("WAL"), policy: policy(["t1", "t2"], archives: true),
        before: [["--run-now", "--json"], ["restore", "RUN"]], command: ["--run-now", "--json"],
        live: allRows,
        most: Counts(calls: 280, writes: 60, sqlite: 24000, others: 15000))

    /// The rule that deletes does not archive, so it goes on without an archive, but not without its leases.
    private static let leasedFromOthers = Operation(
        name: "leased-plain", store: filled("WAL"),
        policy: policy(["t1"], archives: true)
            + """
            [rule.plain]
            table = "t1"
            age_column = "at"
            keep = "30d"

            """,
        before: [["--run-now", "--json", "--rule", "t1"], ["restore", "RUN"]],
        command: ["--run-now", "--json", "--rule", "plain"], live: allRows,
        most: Counts(calls: 280, writes: 60, sqlite: 23500, others: 13500, archive: 9700))
}
