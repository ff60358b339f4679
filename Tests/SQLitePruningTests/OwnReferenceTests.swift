import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Tables whose rows refer to others of them.
struct OwnReferenceTests {
    @Test(
        "rows that refer to others of their table go first, and a row stays while a younger one needs it, whatever the key does",
        arguments: [
            "", "ON DELETE RESTRICT", "ON DELETE SET NULL", "ON DELETE CASCADE",
            "DEFERRABLE INITIALLY DEFERRED",
        ], [AccessPath.walk, .index])
    func ownKey(action: String, accessPath: AccessPath) throws {
        // Chains of ten, whose links have ascending or descending ids. A fresh row refers to the fourth of chain 3.
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id) \(action));
            CREATE INDEX t_at ON t (at); CREATE INDEX t_up ON t (up);
            PRAGMA defer_foreign_keys = ON; BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
            INSERT INTO t SELECT i, \(old) - 5000 + i, iif(i % 10 = 9, NULL, i + 1) FROM n WHERE i / 10 % 2 = 0
            UNION ALL SELECT i, \(old) - i, iif(i % 10 = 0, NULL, i - 1) FROM n WHERE i / 10 % 2 = 1;
            INSERT INTO t VALUES (5000, \(fresh), 34), (5001, \(old), 5001); COMMIT;
            """)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let task = PruneTask(.old(), start: runStart, in: .gmt)
        #expect(
            try view.remarks(before: task) == [
                "5 expired rows of t stay: rows that stay refer to them by t.up, which only the app can clear"
            ])
        let ages = try view.ages(of: task)
        #expect(ages.census.expired == 1_996)
        #expect(ages.stay.rows == [.referredTo("t.up"): 5])
        #expect(try view.judge(["33"], by: task)?.checks.last?.allows == false)
        #expect(try view.judge(["35"], by: task)?.checks.last?.allows == true)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let begun = try worker.begin(task, accessPath: accessPath, tellsRows: true)
        #expect(begun.census.expired == 1_996)
        var gone: [BatchResult] = []
        repeat { gone.append(try worker.deleteBatch(rows: 300)) } while !gone[gone.count - 1].isLast
        #expect(gone.map(\.deleted).reduce(0, +) == 1_996)
        #expect(gone.map(\.dependentsDeleted).reduce(0, +) == 0)
        #expect(gone.compactMap(\.fingerprint).reduce(RowsFingerprint()) { $0 + $1 } == begun.rows)
        #expect(try worker.shortfall() == nil)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [30, 31, 32, 33, 34, 5000])
        #expect(try app.integers("SELECT count(*) FROM pragma_foreign_key_check") == [0])
        #expect(app.outcome().outcome == .done)
    }

    /// Deletes the rows of a table in batches of `rows`. `up` is SQL for the row that row i of 3,000 refers to.
    private func batches(of rows: Int, up: String, action: String = "") throws -> (
        batches: [BatchResult], shortfall: StoreError?
    ) {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id) \(action));
            CREATE INDEX t_up ON t (up); BEGIN; PRAGMA defer_foreign_keys = ON;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO t SELECT i, \(old), iif(\(up) BETWEEN 1 AND 3000, \(up), NULL) FROM n;
            COMMIT;
            """)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let begun = try worker.begin(
            PruneTask(.old(), start: runStart, in: .gmt), accessPath: .walk, tellsRows: false)
        #expect(begun.census.expired == 3_000)
        var gone: [BatchResult] = []
        repeat { gone.append(try worker.deleteBatch(rows: rows)) } while !gone[gone.count - 1].isLast
        #expect(try app.integers("SELECT count(*) FROM t")[0] == 3_000 - gone.map(\.deleted).reduce(0, +))
        return (gone, try worker.shortfall())
    }

    @Test(
        "a long chain of rows goes in one walk, or in two",
        arguments: [
            ("i - 1", "", 1), ("i - i % 2 * 50 - 1", "", 1), ("i + 1", "", 2),
            ("i - 100", "ON DELETE RESTRICT", 1), ("i + 100", "ON DELETE CASCADE", 2),
        ])
    func chain(up: String, action: String, walks: Int) throws {
        let (batches, shortfall) = try batches(of: 100, up: up, action: action)
        #expect(batches.map(\.deleted).reduce(0, +) == 3_000 && shortfall == nil)
        #expect(batches.count <= 30 * walks)
    }

    @Test("rows that refer to each other in a circle go if they fit into a batch", arguments: [3_000, 2_999])
    func circleInBatch(rows: Int) throws {
        let (batches, shortfall) = try batches(of: rows, up: "i % 3000 + 1")
        #expect(batches.map(\.deleted).reduce(0, +) == (rows == 3_000 ? 3_000 : 0))
        #expect((shortfall == nil) == (rows == 3_000))
        #expect(shortfall?.hint?.contains("in a circle") ?? true)
    }

    @Test(
        "expired rows that refer to each other in a circle fail the rule, which says so, and nothing is lost")
    func circle() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id) ON DELETE RESTRICT);
            INSERT INTO t VALUES (1, \(old), NULL), (2, \(old), NULL), (3, \(old), 1), (4, \(fresh), NULL);
            UPDATE t SET up = 2 WHERE id = 1; UPDATE t SET up = 1 WHERE id = 2;
            """)
        let report = app.outcome()
        #expect(report.deleted == 1 && report.outcome == .failed)
        #expect(report.failure?.hint?.contains("in a circle") == true)
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 4])
        let next = app.outcome()
        #expect(next.deleted == 0 && next.failure?.hint?.contains("in a circle") == true, "\(next)")
    }

    @Test("what an app inserts meanwhile into a table that refers to itself fails no run")
    func besideAnApp() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                INSERT INTO t SELECT i, \(old), nullif(i / 2, 0) FROM n;
            """)
        let report = app.prune(.old()) { event in
            guard case .batchCommitted(let report, _) = event, report.batches == 1 else { return }
            try? app.execute(
                "DELETE FROM t WHERE id = (SELECT max(id) FROM t); INSERT INTO t VALUES (9000, \(old), NULL)")
        }.rules[0]
        #expect(report.outcome == .done && report.deleted == 2_999, "\(report)")
        #expect(try app.integers("SELECT id FROM t") == [9000])
    }
}
