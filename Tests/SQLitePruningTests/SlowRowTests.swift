import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Rows whose deletion keeps the lock for longer than a batch should.
struct SlowRowTests {
    /// The file of `app` with a lock time of so many milliseconds.
    private func store(_ app: TemporaryStore, milliseconds: Int = 1) -> SQLiteStore {
        SQLiteStore(
            StoreDefinition(name: "s", path: app.path), path: app.path, holder: "a test",
            lockTime: LockTime(.milliseconds(milliseconds)), monotonic: systemMonotonic)
    }

    private func outcome(
        _ rule: RetentionRule, _ app: TemporaryStore, dryRun: Bool = false, milliseconds: Int = 1,
        control: RunControl = freeControl()
    ) -> RuleReport {
        PruneRun.report(
            [rule], on: [store(app, milliseconds: milliseconds)], dryRun: dryRun, control: control
        ).rules[0]
    }

    /// A table `t` with expired rows 1 and 2 and one that is not, and so many rows of `child` that point at the last.
    private func parent(
        of rows: Int, key: String = "t_id INTEGER REFERENCES t (id)", more: String = ""
    ) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, name TEXT COLLATE NOCASE UNIQUE);
            INSERT INTO t VALUES (1, \(old), 'a'), (2, \(old), 'b'), (3, \(fresh), '3');
            CREATE TABLE child (id INTEGER PRIMARY KEY, \(key));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO child SELECT i, 3 FROM n;
            \(more)
            """)
    }

    @Test(
        "a large child without an index on its foreign key fails the rule, and the index that is named helps",
        arguments: [
            ("REFERENCES t (id)", []), ("REFERENCES t", []),
            ("REFERENCES t (id) ON DELETE RESTRICT", []),
            ("REFERENCES t (id) ON DELETE CASCADE", ["child"]),
            ("REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED", []),
        ] as [(String, Set<String>)])
    func largeChild(key: String, dependents: Set<String>) throws {
        let app = try parent(of: 300_000, key: "\"t id\" INTEGER \(key)")
        let rule = RetentionRule.old(dependents: dependents)
        var hints: Set<String?> = []
        for dryRun in [true, false] {
            let report = outcome(rule, app, dryRun: dryRun)
            #expect(report.outcome == .failed && report.deleted == 0)
            #expect(report.failure?.kind == .fault(.tooSlow))
            #expect(report.failure?.cause.contains("reads all of child") == true, "\(report)")
            hints.insert(report.failure?.hint)
        }
        let view = try store(app).openView(freeControl())
        hints.insert(#expect(throws: StoreError.self) { try view.checkScans(of: rule) }?.hint)
        view.close()
        let sql = "CREATE INDEX \"child_t id\" ON \"child\" (\"t id\");"
        #expect(hints == ["create this index once in its database: \(sql)"])
        try app.execute(sql)
        let report = outcome(rule, app)
        #expect(report.outcome == .done && report.deleted == 2, "\(report)")
    }

    @Test("it is the rows of the child that count, and a longer lock time allows for more of them")
    func smallChild() throws {
        #expect(try outcome(.old(), parent(of: 1_500)).deleted == 2)
        #expect(try outcome(.old(), parent(of: 300_000), milliseconds: 500).deleted == 2)
    }

    /// Each has fewer rows than SQLite can read of the narrowest table in the lock time.
    @Test(
        "it is measured how long the rows of the child take: they may be wide",
        arguments: [
            (
                """
                CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER, answers REFERENCES t (id), body) WITHOUT ROWID;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 190000)
                INSERT INTO t SELECT printf('%08d', i), iif(i < 9, \(old), \(fresh)), NULL, zeroblob(400) FROM n;
                """, []
            ),
            (
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
                INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(fresh));
                CREATE TABLE child (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE, body);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                INSERT INTO child SELECT 3, zeroblob(3000) FROM n;
                """, ["child"]
            ),
        ] as [(String, Set<String>)])
    func wideChild(schema: String, dependents: Set<String>) throws {
        let app = try TemporaryStore(schema)
        let rule = RetentionRule.old(dependents: dependents)
        for dryRun in [true, false] {
            let report = outcome(rule, app, dryRun: dryRun, milliseconds: 10)
            #expect(report.outcome == .failed && report.deleted == 0)
            #expect(report.failure?.hint?.contains("CREATE INDEX") == true, "\(report)")
        }
        let view = try store(app, milliseconds: 10).openView(freeControl())
        defer { view.close() }
        #expect(throws: StoreError.self) { try view.checkScans(of: rule) }
    }

    @Test("a trigger that takes longer than the lock time for each of many rows fails the rule, and is named")
    func slowTrigger() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO t SELECT i, \(old) FROM n;
            CREATE VIEW much AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            SELECT i FROM n;
            CREATE TRIGGER slow AFTER DELETE ON t BEGIN SELECT count(*) FROM much; END;
            """)
        let report = outcome(.old(), app, milliseconds: 10)
        #expect(report.outcome == .failed && report.deleted < 100, "\(report)")
        #expect(report.failure?.cause.hasSuffix("each row runs trigger slow") == true, "\(report)")
    }

    @Test(
        "where a row took too long though its child is small, the child and its index are named all the same")
    func blame() throws {
        let app = try parent(of: 10)
        let connection = try Connection(.read, path: app.path, control: freeControl())
        defer { connection.close() }
        let failure = try connection.perform("look") { db in
            try SlowRow(bound: BoundRule(.old(), in: db), path: app.path)
                .failure(LockWatch.Exceeded(lockTime: LockTime(.milliseconds(1))).cause, in: db)
        }
        #expect(failure.kind == .tooSlow && failure.cause.contains("reads all of child"), "\(failure)")
        #expect(failure.hint?.contains("CREATE INDEX") == true)
    }

    @Test("a table that points at itself is its own child")
    func ownChild() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, answers INTEGER REFERENCES t (id));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            INSERT INTO t SELECT i, iif(i < 3, \(old), \(fresh)), NULL FROM n;
            """)
        #expect(outcome(.old(), app).failure?.hint?.contains("ON \"t\" (\"answers\")") == true)
    }

    @Test("a dependent's own child counts as well")
    func grandchild() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
            CREATE TABLE grandchild (c_id INTEGER REFERENCES child (id));
            INSERT INTO t VALUES (1, \(old));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            INSERT INTO grandchild SELECT NULL FROM n;
            """)
        #expect(outcome(.old(dependents: ["child"]), app).failure?.cause.contains("grandchild") == true)
    }

    @Test("an index that SQLite does not use for the key, as it has another collation, does not help")
    func collation() throws {
        let app = try parent(
            of: 300_000, key: "t_name TEXT REFERENCES t (name)",
            more: "CREATE INDEX child_t_name ON child (t_name);")
        let sql = "CREATE INDEX \"child_t_name_2\" ON \"child\" (\"t_name\" COLLATE \"NOCASE\");"
        #expect(outcome(.old(), app).failure?.hint?.hasSuffix(sql) == true, "\(outcome(.old(), app))")
        try app.execute(sql)
        #expect(outcome(.old(), app).deleted == 2)
    }

    private static let forever = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
        INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(fresh));
        CREATE VIEW forever AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
        """
    private static let trigger =
        "CREATE TRIGGER endless AFTER DELETE ON t BEGIN SELECT count(*) FROM forever; END;"

    @Test("a trigger that does not end is ended, lets go of the lock and fails the rule, which names it")
    func endlessTrigger() throws {
        let app = try TemporaryStore(Self.forever + Self.trigger)
        let report = outcome(.old(), app)
        #expect(report.outcome == .failed)
        #expect(report.failure?.kind == .fault(.tooSlow))
        #expect(report.failure?.cause.hasSuffix("each row runs trigger endless") == true, "\(report)")
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
        try app.execute("INSERT INTO t VALUES (4, 0)")
    }

    @Test("a stop request ends a batch that is over its lock time, and that is no fault of the row's")
    func stop() throws {
        let app = try TemporaryStore(Self.forever + Self.trigger)
        let control = freeControl()
        let worker = try store(app, milliseconds: 500).openWorker(control)
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil)
        control.requestStop("SIGTERM")
        let error = #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 1) }
        #expect(error?.kind == .interrupted)
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
    }

    @Test("many rows that stay are soon passed, though the first batches are small")
    func passes() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
            INSERT INTO t SELECT i, iif(i IN (1, 30000, 60000), \(old), \(fresh)) FROM n;
            """)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: .walk)
        var batches: [BatchResult] = []
        while batches.count < 6, batches.last?.isLast != true {
            batches.append(try worker.deleteBatch(rows: 1))
        }
        #expect(batches.map(\.deleted).filter { $0 > 0 } == [1, 1, 1])
    }
}
