import Foundation
import Pruning
import Retention
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// What happens between and inside the batches of a run.
struct BatchTests {
    /// 1,000 expired rows, the first by key.
    private func store(_ more: String = "", mode: String = "WAL") throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(mode);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, iif(i <= 1000, \(old), \(fresh)) FROM n;
            \(more)
            """)
    }

    private func deleteRest(_ worker: any WorkerContext) throws -> Int64 {
        var deleted: Int64 = 0
        for _ in 0..<1_000 {
            let batch = try worker.deleteBatch(rows: 100)
            deleted += batch.deleted
            if batch.isLast { return deleted }
        }
        Issue.record("a run without an end")
        return deleted
    }

    private func begin(
        _ app: TemporaryStore, _ accessPath: AccessPath
    ) throws -> any WorkerContext {
        let worker = try app.store.openWorker(freeControl())
        let (census, chosen) = try worker.begin(
            PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath)
        #expect(census.expired == 1_000)
        #expect(chosen == accessPath)
        return worker
    }

    /// Calls `body` with a connection that writes and a deletion on it.
    private func withDeletion(
        of app: TemporaryStore, _ accessPath: AccessPath, _ body: (Database, Deletion) throws -> Void
    ) throws {
        let connection = try Connection(.write, path: app.path, control: freeControl())
        defer { connection.close() }
        let db = connection.database
        let deletion = try db.inSnapshot {
            try Deletion(
                task: PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath, path: app.path,
                in: db)
        }
        try body(db, deletion)
    }

    @Test("a row that is refreshed between two batches survives", arguments: [AccessPath.walk, .index])
    func refreshedBetween(accessPath: AccessPath) throws {
        let app = try store()
        let worker = try begin(app, accessPath)
        defer { worker.close() }
        #expect(try worker.deleteBatch(rows: 100).deleted == 100)
        try app.execute(
            "UPDATE t SET at = \(fresh) WHERE id BETWEEN 500 AND 599; UPDATE t SET at = NULL WHERE id = 700;")
        #expect(try deleteRest(worker) == 799)
        #expect(try app.integers("SELECT id FROM t WHERE id <= 1000 ORDER BY id") == Array(500...599) + [700])
    }

    @Test(
        "a row that is refreshed after its batch was chosen, just before the lock is had, survives",
        arguments: [AccessPath.walk, .index])
    func refreshedInside(accessPath: AccessPath) throws {
        let app = try store()
        try withDeletion(of: app, accessPath) { db, deletion in
            let slice = try #require(try deletion.nextSlice(rows: 100, in: db))
            try app.execute(
                "UPDATE t SET at = \(fresh) WHERE id IN (1, 50); DELETE FROM t WHERE id = 2;")
            try db.beginImmediate()
            let deleted = try deletion.delete(slice, version: db.dataVersion(), in: db)
            #expect(deleted.rows == 97)
            try db.commit()
        }
        #expect(try app.integers("SELECT id FROM t WHERE id <= 100") == [1, 50])
    }

    @Test(
        "rows that others insert in mid-run are not the run's, expired or not",
        arguments: [AccessPath.walk, .index])
    func inserted(accessPath: AccessPath) throws {
        let app = try store()
        let worker = try begin(app, accessPath)
        defer { worker.close() }
        _ = try worker.deleteBatch(rows: 100)
        try app.execute(
            "INSERT INTO t VALUES (100000, \(fresh)), (100001, \(old)), (100002, \(cutoff)), (-1, \(fresh));")
        _ = try deleteRest(worker)
        #expect(
            try app.integers("SELECT id FROM t WHERE id > 20000 OR id < 1 ORDER BY id") == [
                -1, 100_000, 100_001, 100_002,
            ])
    }

    @Test(
        "where keys do not say what came later, no more rows go than were counted",
        arguments: [AccessPath.walk, .index])
    func insertedAmong(accessPath: AccessPath) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID;
            CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT printf('%03d', i), \(old) FROM n;
            """)
        let report = app.prune(.old(), accessPath: accessPath) { event in
            guard case .batchCommitted = event else { return }
            try? app.execute(
                "INSERT OR IGNORE INTO t SELECT id || '-', at FROM t WHERE at = \(old) AND length(id) = 3")
        }.rules[0]
        #expect(report.expired == 300 && report.deleted == 300, "\(report)")
        #expect(report.outcome == .done)
        let left = try app.integers("SELECT count(*) FROM t")[0]
        let next = app.prune(.old(), accessPath: accessPath).rules[0]
        #expect(left > 0 && next.expired == Int64(left), "\(next)")
    }

    @Test(
        "a schema that changes in mid-run so that a batch would do something else ends the rule",
        arguments: [
            "CREATE TABLE log (x); CREATE TRIGGER d AFTER DELETE ON t BEGIN INSERT INTO log VALUES (1); END;",
            "CREATE TABLE child (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);",
            "CREATE TABLE child (t_id INTEGER REFERENCES t (id) ON DELETE SET NULL);",
            "ALTER TABLE t RENAME COLUMN at TO born;",
            "ALTER TABLE t RENAME COLUMN at TO born; ALTER TABLE t ADD COLUMN at INTEGER;",
            "ALTER TABLE t RENAME TO u;",
            "ALTER TABLE t RENAME TO u; CREATE VIEW t AS SELECT * FROM u;",
            "DROP TABLE t;",
            "DROP TABLE t; CREATE TABLE t (id TEXT PRIMARY KEY, at TEXT) WITHOUT ROWID;",
        ], [AccessPath.walk, .index])
    func schemaChanges(change: String, accessPath: AccessPath) throws {
        for mode in ["WAL", "DELETE"] {
            let app = try store(mode: mode)
            let worker = try begin(app, accessPath)
            defer { worker.close() }
            _ = try worker.deleteBatch(rows: 100)
            try app.execute(change)
            let error = #expect(throws: StoreError.self) { try deleteRest(worker) }
            #expect(error?.kind == .schema)
            // Nothing is left open that would keep the app from writing.
            try app.execute("CREATE TABLE afterwards (x)")
            if !change.contains("DROP TABLE") {
                let table = change.contains("TO u") ? "u" : "t"
                #expect(try app.integers("SELECT count(*) FROM \(table) WHERE id <= 1000") == [900])
            }
        }
    }

    @Test(
        "a schema that changes in mid-run elsewhere does not end the rule",
        arguments: [
            "CREATE TABLE other (x);", "CREATE INDEX t_id_at ON t (id, at);", "DROP INDEX t_at;",
            "CREATE TRIGGER i AFTER INSERT ON t BEGIN SELECT 1; END;", "CREATE VIEW v AS SELECT * FROM t;",
            "CREATE TABLE child (t_id INTEGER REFERENCES t (id));", "ANALYZE;", "VACUUM;",
        ], [AccessPath.walk, .index])
    func harmlessChanges(change: String, accessPath: AccessPath) throws {
        let app = try store()
        let worker = try begin(app, accessPath)
        defer { worker.close() }
        _ = try worker.deleteBatch(rows: 100)
        try app.execute(change)
        #expect(try deleteRest(worker) == 900)
    }

    @Test(
        "a trigger that may leave rows from mid-run on ends the run",
        arguments: [AccessPath.walk, .index])
    func ignoringFromMidRun(accessPath: AccessPath) throws {
        let app = try store()
        let worker = try begin(app, accessPath)
        defer { worker.close() }
        _ = try worker.deleteBatch(rows: 100)
        try app.execute("CREATE TRIGGER guard BEFORE DELETE ON t BEGIN SELECT RAISE(IGNORE); END;")
        let error = #expect(throws: StoreError.self) { try deleteRest(worker) }
        #expect(error?.cause.contains("trigger guard may leave rows") ?? false)
    }

    @Test(
        "a trigger that came since the connection last read the schema ends a rule with dependents",
        arguments: ["WAL", "DELETE"])
    func triggerSinceLastRule(mode: String) throws {
        let app = try store(mode: mode)
        try app.execute(
            "CREATE TABLE child (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE); CREATE TABLE log (x)")
        let task = PruneTask(.old(dependents: ["child"]), start: runStart, in: .gmt)
        let worker = try SQLiteWorker(path: app.path, control: freeControl(), monotonic: systemMonotonic)
        defer { worker.close() }
        _ = try worker.begin(task, accessPath: nil)
        _ = try worker.deleteBatch(rows: 100)
        try app.execute("CREATE TRIGGER d AFTER DELETE ON t BEGIN INSERT INTO log VALUES (1); END;")
        let error = #expect(throws: StoreError.self) { try worker.begin(task, accessPath: nil) }
        #expect(error?.cause.contains("(trigger d)") ?? false, "\(error.debugDescription)")
    }

    @Test(
        "each batch is one transaction that begins IMMEDIATE, and checkpoints are PASSIVE",
        arguments: [AccessPath.walk, .index])
    func statements(accessPath: AccessPath) throws {
        let app = try store()
        let trace = StatementTrace()
        let worker = try SQLiteWorker(path: app.path, control: freeControl(), monotonic: systemMonotonic)
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath)
        trace.follow(worker.connection.database)
        for _ in 0..<3 {
            _ = try worker.deleteBatch(rows: 100)
            try worker.maintain()
        }
        let writes = trace.statements.filter { !$0.hasPrefix("SELECT") && !$0.hasPrefix("PRAGMA") }
        #expect(writes.count == 9)
        for (number, sql) in writes.enumerated() {
            #expect(sql.hasPrefix(["BEGIN IMMEDIATE", "DELETE FROM \"t\"", "COMMIT"][number % 3]))
        }
        let pragmas = trace.statements.filter { $0.contains("checkpoint") }
        #expect(pragmas.allSatisfy { $0 == "PRAGMA wal_checkpoint(PASSIVE)" })
    }

    @Test(
        "a whole number and a real that are the same are one entry to a walk, and the reals stay",
        arguments: ["at", "at / 86400"])
    func mixedNumbers(entry: String) throws {
        let midnight = old - old % 86_400
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at);
            CREATE INDEX t_at ON t (\(entry));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO t SELECT i, iif(i % 2, \(midnight), CAST(\(midnight) AS REAL)) FROM n;
            """)
        let worker = try begin(app, .index)
        defer { worker.close() }
        // The first entry is a whole number, and the one after eleven others a real.
        #expect(try worker.deleteBatch(rows: 11).deleted == 6)
        #expect(try deleteRest(worker) == 994)
        #expect(try app.integers("SELECT count(*) FROM t WHERE typeof(at) = 'real'") == [1_000])
    }

    @Test("a batch looks at no more rows than it may")
    func size() throws {
        for accessPath in [AccessPath.walk, .index] {
            let app = try store()
            let worker = try begin(app, accessPath)
            defer { worker.close() }
            for rows in [1, 2, 7, 100] { #expect(try worker.deleteBatch(rows: rows).deleted == rows) }
        }
    }

    @Test("where keys follow time, the walk is chosen, and ends with the last expired row")
    func keysFollowTime() throws {
        let app = try store()
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let (census, accessPath) = try worker.begin(
            PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil)
        #expect(census.expired == 1_000 && accessPath == .walk)
        for number in 1...10 { #expect(try worker.deleteBatch(rows: 100).isLast == (number == 10)) }
    }

    @Test(
        "where keys do not follow time, few expired rows are found by the index, and more by the walk",
        arguments: [(300, .index), (1_000, .walk)] as [(Int64, AccessPath)])
    func scatteredKeys(expired: Int64, accessPath: AccessPath) throws {
        let app = try store(
            """
            UPDATE t SET at = \(fresh) WHERE id > \(expired);
            UPDATE t SET id = -id * 7919 % 20011 - 30000;
            """)
        let report = app.outcome()
        #expect(report.accessPath == accessPath)
        #expect(report.deleted == expired)
    }

    @Test("a long stretch without an expired row is passed without the lock, a part at a time")
    func emptyStretch() throws {
        let app = try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t SELECT i, iif(i > 99990, \(old), \(fresh)) FROM n;
            """)
        let worker = try SQLiteStore.test(at: app.path).openWorker(freeControl())
        defer { worker.close() }
        #expect(
            try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil).accessPath
                == .walk)
        try app.open { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let batch = try worker.deleteBatch(rows: 10)
            #expect(batch.deleted == 0 && !batch.isLast)
            try db.execute(sql: "ROLLBACK")
        }
        #expect(try deleteRest(worker) == 10)
    }

    @Test(
        "what ALTER TABLE put into a STRICT table's integer column without looking is kept",
        arguments: ["1500000000.5", "'old'", "''", "x'00'"], ["", "CREATE INDEX t_at ON t (at);"])
    func addedColumn(value: String, index: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT;
            INSERT INTO t VALUES (1), (2);
            ALTER TABLE t ADD COLUMN at INTEGER DEFAULT \(value); \(index)
            INSERT INTO t VALUES (3, \(old)), (4, \(fresh));
            """)
        let report = app.outcome()
        #expect(report.deleted == 1)
        #expect(report.keptImplausible == 2)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [1, 2, 4])
    }

    @Test("real values in a STRICT table's virtual column are kept")
    func virtualColumn() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x ANY, at INTEGER AS (x) VIRTUAL) STRICT;
            CREATE INDEX t_at ON t (at);
            INSERT INTO t (id, x) VALUES (1, \(old).5), (2, 'x'), (3, \(old)), (4, NULL), (5, \(fresh));
            """)
        let report = app.outcome()
        #expect(report.deleted == 1)
        #expect(report.keptImplausible == 3)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [1, 2, 4, 5])
    }
}
