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
        "an expired row stays while its key stands in the keeper's column, whatever the types of both",
        arguments: [
            ("INTEGER PRIMARY KEY", "INTEGER"), ("TEXT PRIMARY KEY", "TEXT"), ("PRIMARY KEY", ""),
            ("TEXT PRIMARY KEY", "INTEGER"),
        ])
    func kept(id: String, keeper: String) throws {
        let app = try store(id, keeper: keeper)
        let report = app.outcome(.old(keptBy: byChild))
        #expect(report.outcome == .done)
        #expect(report.expired == 1)
        #expect(report.deleted == 1)
        #expect(try app.integers("SELECT CAST(id AS INTEGER) FROM t ORDER BY 1") == [1, 3])
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

    @Test(
        "a keeper of which the rule itself deletes rows is refused: each batch would let go of more than was counted",
        arguments: [("t", "parent"), ("T", "PARENT"), ("child", "t_id")])
    func selfKept(table: String, column: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER, at INTEGER);
            CREATE INDEX t_parent ON t (parent);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY, own INTEGER REFERENCES t (id) ON DELETE CASCADE);
            CREATE INDEX child_own ON child (own);
            INSERT INTO t VALUES (1, NULL, \(old)), (2, 1, \(fresh)), (3, NULL, \(old)), (4, 3, \(old));
            """)
        let keeper = ColumnReference(table: table, column: column)
        let report = app.outcome(.old(dependents: ["child"], keptBy: keeper))
        #expect(report.outcome == .failed)
        #expect(report.failure?.cause.contains("whose rows the rule itself deletes") == true, "\(report)")
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [1, 2, 3, 4])
    }

    @Test(
        "rows that would be deleted by cascade keep their row instead: what a label is on stays, label and all"
    )
    func keptByCascade() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, at INTEGER);
            CREATE TABLE label (name TEXT, t_id BIGINT REFERENCES t (id) ON DELETE CASCADE, PRIMARY KEY (name, t_id));
            CREATE INDEX label_t ON label (t_id);
            INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(fresh)), (4, \(old));
            INSERT INTO label VALUES ('a', 1), ('b', 1), ('a', 3), ('none', NULL);
            """)
        let keeper = ColumnReference(table: "label", column: "t_id")
        #expect(app.outcome(.old(keptBy: keeper)).deleted == 2)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [1, 3])
        #expect(try app.integers("SELECT count(*) FROM label") == [4])
    }

    @Test(
        "a keeper that more than its own column may take along is refused",
        arguments: [
            "other INTEGER REFERENCES t (id) ON DELETE CASCADE",
            "other INTEGER REFERENCES middle (id) ON DELETE CASCADE",
        ])
    func keptByOneOfTwo(column: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE middle (id INTEGER PRIMARY KEY REFERENCES t (id) ON DELETE CASCADE);
            CREATE TABLE label (t_id INTEGER PRIMARY KEY REFERENCES t (id) ON DELETE CASCADE, \(column));
            CREATE INDEX label_other ON label (other);
            INSERT INTO t VALUES (1, \(old)), (2, \(old));
            INSERT INTO middle VALUES (2);
            INSERT INTO label VALUES (1, 2);
            """)
        let keeper = ColumnReference(table: "label", column: "t_id")
        for dependents: Set<String> in [["middle"], ["middle", "label"]] {
            let report = app.outcome(.old(dependents: dependents, keptBy: keeper))
            #expect(report.outcome == .failed, "\(report)")
        }
        #expect(try app.integers("SELECT count(*) FROM t") == [2])
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
        let index = try #require(hint.range(of: "CREATE INDEX "))
        try app.execute(String(hint[index.lowerBound...]))
        var rule = RetentionRule.old()
        if let start = hint.range(of: "protect = \""), let end = hint.range(of: "\", and") {
            rule.protect = [String(hint[start.upperBound..<end.lowerBound])]
        } else {
            rule = .old(keptBy: byChild)
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

    @Test("a dry run predicts what a run deletes: earlier rules of the run are taken for done")
    func dryRun() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY, at);
            INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(old)), (4, \(old)), (5, \(fresh)), (6, \(old));
            INSERT INTO child VALUES (1, \(old)), (2, \(fresh)), (3, 'old'), (4, \(cutoff)), (6, NULL);
            """)
        let keeper = RetentionRule.old("CHILD", "AT", name: "keeper")
        let kept = RetentionRule.old(keptBy: byChild)
        let predicted = app.prune(keeper, kept, dryRun: true).rules.map(\.expired)
        let deleted = app.prune(keeper, kept).rules.map(\.deleted)
        #expect(deleted == [1, 1])
        #expect(predicted == deleted)
        #expect(try app.integers("SELECT id FROM t") == [2, 3, 4, 5, 6])
    }

    @Test("a dry run predicts a chain of keepers")
    func chain() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE b (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE c (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO c VALUES (1, \(old)), (2, \(fresh));
            INSERT INTO b VALUES (1, \(old)), (2, \(old)), (3, \(old));
            INSERT INTO a VALUES (1, \(old)), (2, \(old)), (3, \(old)), (4, \(old));
            """)
        let rules = [
            RetentionRule.old("c", name: "c"),
            .old("b", name: "b", keptBy: ColumnReference(table: "c", column: "id")),
            .old("a", name: "a", keptBy: ColumnReference(table: "b", column: "id")),
        ]
        let predicted = PruneRun.report(rules, on: [app.store], dryRun: true).rules.map(\.expired)
        let deleted = PruneRun.report(rules, on: [app.store]).rules.map(\.deleted)
        #expect(deleted == [1, 2, 3])
        #expect(predicted == deleted)
    }

    @Test("a dry run predicts two rules on one table", arguments: ["", "CREATE INDEX t_seen ON t (seen);"])
    func twoRules(index: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, seen INTEGER); \(index)
            INSERT INTO t VALUES (1, \(old), \(old)), (2, \(old), \(fresh)), (3, \(fresh), \(old)), (4, \(old), NULL);
            """)
        let (first, second) = (RetentionRule.old(name: "a"), RetentionRule.old("t", "seen", name: "b"))
        let predicted = app.prune(first, second, dryRun: true).rules
        let deleted = app.prune(first, second).rules
        #expect(deleted.map(\.deleted) == [3, 1])
        #expect(predicted.map(\.expired) == deleted.map(\.deleted))
        // The row that has no time for the second rule goes with the first one.
        #expect(predicted.map(\.keptImplausible) == [0, 0] && deleted.map(\.keptImplausible) == [0, 0])
    }

    @Test(
        "kept_by needs a key of one column",
        arguments: ["id INTEGER, at INTEGER", "id, b, at, PRIMARY KEY (id, b)"])
    func key(columns: String) throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (\(columns)); CREATE TABLE child (t_id INTEGER PRIMARY KEY);")
        #expect(app.outcome(.old(keptBy: byChild)).failure?.kind == .fault(.schema))
    }

    /// Parts of threads 1 to 40, and ten parts of threads that are gone.
    private func threads(_ reference: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE threads (id TEXT PRIMARY KEY);
            CREATE TABLE parts (id TEXT PRIMARY KEY, at INTEGER, thread_id TEXT \(reference));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO threads SELECT 't' || i FROM n;
            INSERT INTO parts SELECT 'p' || substr(id, 2), \(old), id FROM threads;
            PRAGMA foreign_keys = OFF;
            INSERT INTO parts SELECT 'q' || id, \(old), 'gone' FROM threads LIMIT 10;
            """)
    }

    @Test(
        "the key of another table that refers to nothing is no keeper; the column that does refer is named, and the hint helps",
        arguments: ["REFERENCES threads (id)", "REFERENCES threads", ""])
    func misplacedKeeper(reference: String) throws {
        let app = try threads(reference)
        var rule = RetentionRule(
            name: "old", store: "s", table: "parts", expiry: .age(column: "at", keep: Span(30, .day)),
            keptBy: [ColumnReference(table: "threads", column: "id")], holdLimits: .noneAtAll)
        let report = app.outcome(rule)
        #expect(
            report.failure?.cause
                == "kept_by names threads.id, the key of threads, which refers to nothing: parts.thread_id refers to it",
            "\(report)")
        #expect(try app.integers("SELECT count(*) FROM parts") == [50])
        let hint = try #require(report.failure?.hint)
        let start = try #require(hint.range(of: "[\"")), end = try #require(hint.range(of: "\"]"))
        (rule.keptBy, rule.protect) = ([], [String(hint[start.upperBound..<end.lowerBound])])
        #expect(app.outcome(rule).deleted == 10)
        #expect(try app.integers("SELECT count(*) FROM parts WHERE thread_id <> 'gone'") == [40])
    }

    @Test(
        "a key that two tables have in common keeps rows, with a foreign key in either direction or none",
        arguments: [
            ("TEXT PRIMARY KEY REFERENCES parts", ""), ("TEXT PRIMARY KEY", "REFERENCES extras"),
            ("TEXT PRIMARY KEY", ""),
        ])
    func sharedKey(extra: String, own: String) throws {
        let app = try TemporaryStore(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE parts (id TEXT PRIMARY KEY \(own), at INTEGER, note TEXT);
            CREATE TABLE extras (id \(extra));
            INSERT INTO parts VALUES ('a', \(old), 'a'), ('b', \(old), 'a'), ('c', \(old), 'a');
            INSERT INTO extras VALUES ('a'), ('c');
            """)
        let report = app.outcome(
            RetentionRule(
                name: "old", store: "s", table: "parts", expiry: .age(column: "at", keep: Span(30, .day)),
                keptBy: [ColumnReference(table: "extras", column: "id")], holdLimits: .noneAtAll))
        #expect(report.outcome == .done, "\(report)")
        #expect(try app.texts("SELECT id FROM parts ORDER BY id") == ["a", "c"])
    }
}
