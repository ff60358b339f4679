import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

struct KeeperTests {
    private let byChild = ColumnReference(table: "child", column: "t_id")

    private func store(_ idType: String, keeper: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id \(idType), at INTEGER);
            CREATE TABLE child (t_id \(keeper), at INTEGER);
            CREATE INDEX child_t ON child (t_id);
            INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(fresh));
            INSERT INTO child VALUES (1, \(fresh)), (3, \(fresh)), (NULL, \(fresh));
            """)
    }

    @Test(
        "text that is equal to the keeper's number keeps its row, however it is written",
        arguments: ["7", "007", " 7", "7 ", "+7", "7.0", "70e-1", ".7e1"])
    func numbers(text: String) throws {
        for others in ["", "(5, \(fresh)), (9, \(fresh)),"] {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT;
                CREATE TABLE child (t_id INTEGER PRIMARY KEY, at INTEGER) STRICT;
                INSERT INTO child VALUES \(others) (7, \(fresh));
                INSERT INTO t VALUES ('\(text)', \(old)), ('4', \(old)), ('6', \(old)), ('8', \(old)), ('x', \(old)), ('7x', \(old));
                """)
            let report = app.outcome(.old(keptBy: byChild))
            #expect(report.expired == 5)
            #expect(report.deleted == 5)
            #expect(try app.texts("SELECT id FROM t") == [text])
        }
    }

    @Test(
        "numbers that a foreign key takes for texts, and no comparison does, fail the rule, and the type that is named helps",
        arguments: ["", "BLOB"])
    func untypedReference(type: String) throws {
        func app(_ type: String) throws -> TemporaryStore {
            try TemporaryStore(
                """
                CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER); INSERT INTO t VALUES ('1', \(old)), ('2', \(old));
                CREATE TABLE child (t_id \(type) REFERENCES t (id)); CREATE INDEX child_t ON child (t_id);
                INSERT INTO child VALUES (1);
                """)
        }
        let odd = try app(type)
        let failure = odd.outcome(.old(keptBy: byChild)).failure
        #expect(
            failure?.cause.contains("child.t_id has numbers, and t.id texts") == true,
            "\(failure?.cause ?? "")")
        #expect(failure?.hint == "give child.t_id the type TEXT")
        #expect(try odd.integers("SELECT count(*) FROM t") == [2])
        let mended = try app("TEXT")
        #expect(mended.outcome(.old(keptBy: byChild)).deleted == 1)
        #expect(try mended.texts("SELECT id FROM t") == ["1"])
    }

    @Test(
        "a row whose keeper comes in mid-run stays, wherever its key stands among the keeper's",
        arguments: ["INTEGER", "TEXT"], [AccessPath.walk, .index])
    func keeperInMidRun(keeper: String, accessPath: AccessPath) throws {
        for present in [
            "", "INSERT INTO child VALUES (2000, 0);", "INSERT INTO child VALUES (1, 0), (2000, 0);",
        ] {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id \(keeper) NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT;
                CREATE INDEX t_at ON t (at);
                CREATE TABLE child (t_id \(keeper) PRIMARY KEY, at INTEGER) STRICT;
                WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
                INSERT INTO t SELECT i, \(old) FROM n;
                \(present)
                """)
            let worker = try app.store.openWorker(freeControl())
            defer { worker.close() }
            let task = PruneTask(.old(keptBy: byChild), start: runStart, in: .gmt)
            #expect(try worker.begin(task, accessPath: accessPath).census.expired == 800)
            #expect(try worker.deleteBatch(rows: 100).deleted == 100)
            try app.execute("INSERT INTO child VALUES (300, \(fresh)), (800, \(fresh))")
            var batch = try worker.deleteBatch(rows: 100)
            while !batch.isLast { batch = try worker.deleteBatch(rows: 100) }
            #expect(try app.integers("SELECT CAST(id AS INTEGER) FROM t ORDER BY 1") == [300, 800])
        }
    }

    @Test(
        "whatever a keeper's column really holds keeps the rows that are equal to it",
        arguments: [("5.5", "'5.5'"), ("''", "''"), ("'x'", "'x'"), ("7", "'07'")])
    func addedColumn(value: String, key: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER);
            INSERT INTO t VALUES ('1.5', \(old)), (\(key), \(old)), ('6', \(old));
            CREATE TABLE child (id INTEGER PRIMARY KEY) STRICT;
            INSERT INTO child VALUES (1);
            ALTER TABLE child ADD COLUMN t_id INTEGER DEFAULT \(value);
            CREATE INDEX child_t ON child (t_id);
            """)
        let kept = try app.texts("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM child WHERE t_id = t.id)")
        #expect(kept.count == 1)
        #expect(app.outcome(.old(keptBy: byChild)).deleted == 2)
        #expect(try app.texts("SELECT id FROM t") == kept)
    }

    @Test("a keeper that is made anew in mid-run ends the rule")
    func keeperChanges() throws {
        let app = try store("TEXT PRIMARY KEY", keeper: "INTEGER")
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(keptBy: byChild), start: runStart, in: .gmt), accessPath: nil)
        try app.execute(
            """
            BEGIN; DROP TABLE child; CREATE TABLE child (t_id TEXT PRIMARY KEY, at INTEGER);
            INSERT INTO child VALUES ('1', 0), ('2', 0), ('a-uuid', 0); COMMIT;
            """)
        let error = #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 10) }
        #expect(error?.kind == .schema)
        #expect(error?.cause.contains("child") == true)
        #expect(try app.integers("SELECT count(*) FROM t") == [3])
    }

    /// A table and a keeper that no index finds, and what an expired row of it, 1, is referred to by.
    struct Unindexed: CustomTestStringConvertible, Sendable {
        let key: String
        let keeper: String
        var index = ""
        var testDescription: String { "\(key), \(keeper) \(index)" }

        static let all = [
            Unindexed(key: "INTEGER PRIMARY KEY", keeper: "INTEGER"),
            Unindexed(key: "TEXT PRIMARY KEY", keeper: "TEXT COLLATE NOCASE"),
            Unindexed(key: "TEXT COLLATE NOCASE PRIMARY KEY", keeper: "TEXT"),
            // The comparison with an integer key cannot use an index on anything else.
            Unindexed(
                key: "INTEGER PRIMARY KEY", keeper: "TEXT", index: "CREATE INDEX child_t ON child (t_id);"),
            Unindexed(
                key: "INTEGER PRIMARY KEY", keeper: "", index: "CREATE INDEX child_t ON child (t_id);"),
            Unindexed(
                key: "INTEGER PRIMARY KEY", keeper: "INTEGER",
                index: "CREATE INDEX child_t ON child (t_id) WHERE at = 0;"),
        ]

        func store(keepers: Int) throws -> TemporaryStore {
            try TemporaryStore(
                """
                CREATE TABLE t (id \(key), at INTEGER); CREATE TABLE child (t_id \(keeper), at INTEGER); \(index)
                INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(fresh)), (NULL, \(fresh));
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(keepers))
                INSERT INTO child SELECT iif(i = 1, 1, 5 + i), \(fresh) FROM n WHERE i <= \(keepers);
                INSERT INTO child VALUES (NULL, 1);
                """)
        }
    }

    @Test("a keeper of few rows needs no index: the rows to which it refers stay", arguments: Unindexed.all)
    func small(layout: Unindexed) throws {
        for keepers in [0, 1, 50, 9_999] {
            let app = try layout.store(keepers: keepers)
            let expected: Int64 = keepers == 0 ? 2 : 1
            #expect(app.outcome(.old(keptBy: byChild), dryRun: true).expired == expected)
            let report = app.outcome(.old(keptBy: byChild))
            #expect(report.deleted == expected && report.outcome == .done, "\(report)")
            #expect(try app.integers("SELECT count(*) FROM t WHERE id = '1'") == [keepers == 0 ? 0 : 1])
        }
    }

    @Test("a keeper of many rows without an index is refused, and the hint helps", arguments: Unindexed.all)
    func large(layout: Unindexed) throws {
        let app = try layout.store(keepers: 10_001)
        let failure = app.outcome(.old(keptBy: byChild)).failure
        #expect(failure?.kind == .fault(.schema))
        #expect(failure?.cause.contains("would read the whole of child for every row") == true)
        let hint = try #require(failure?.hint)
        try app.execute(String(try #require(hint.firstMatch(of: /(ALTER TABLE|CREATE INDEX) .*/)).0))
        var rule = RetentionRule.old(keptBy: byChild)
        if let value = hint.firstMatch(of: /(protect|kept_by) = "(.*?)", and/) {
            rule = .old()
            if value.1 == "protect" { rule.protect = [String(value.2)] }
            if value.1 == "kept_by" { rule.keptBy = [try #require(ColumnReference(String(value.2)))] }
        }
        let report = app.outcome(rule)
        #expect(report.deleted == 1, "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t WHERE id = '1'") == [1])
    }

    @Test("a keeper that is read as a whole is read once for a batch, not for each row")
    func readOnce() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE TABLE child (t_id INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, \(old) FROM n;
            INSERT INTO child SELECT id FROM t WHERE id % 4 = 0 ORDER BY id % 7;
            """)
        #expect(app.outcome(.old(keptBy: byChild)).deleted == 15_000)
        #expect(try app.integers("SELECT count(*) FROM t WHERE id % 4 = 0") == [5_000])
    }
}
