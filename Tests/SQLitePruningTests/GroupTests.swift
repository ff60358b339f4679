import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

@testable import SQLitePruning

/// `keep_last_per`: the newest rows of each group stay, also while the app writes.
struct GroupTests {
    /// Ten rows of each of 300 feeds, all expired: row 1 of a feed is its newest.
    private func store(index: Bool, mode: String = "WAL") throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(mode);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER);
            \(index ? "CREATE INDEX newest ON t (feed, at);" : "")
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
            INSERT INTO t SELECT i + 1, \(old) - i, nullif(i % 300, 0) FROM n;
            """)
    }

    private var rule: RetentionRule {
        var rule = RetentionRule.old()
        (rule.keepLast, rule.keepLastPer) = (4, ["feed"])
        return rule
    }

    private func smallestGroup(_ app: TemporaryStore) throws -> [Int64] {
        try app.integers("SELECT min(n) FROM (SELECT count(*) AS n FROM t GROUP BY feed)")
    }

    @Test("the newest of each group stay, and NULL is a group", arguments: [true, false], ["WAL", "DELETE"])
    func newest(index: Bool, mode: String) throws {
        let app = try store(index: index, mode: mode)
        #expect(app.outcome(rule, dryRun: true).expired == 1_800)
        #expect(app.outcome(rule).deleted == 1_800)
        #expect(try app.integers("SELECT max(id) FROM t") == [1_200])
        #expect(try app.integers("SELECT count(*) FROM t WHERE feed IS NULL") == [4])
    }

    @Test(
        "rows that become the newest because the app deletes newer ones stay",
        arguments: [true, false], ["WAL", "DELETE"])
    func appDeletes(index: Bool, mode: String) throws {
        let app = try store(index: index, mode: mode)
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        #expect(try worker.begin(task, accessPath: nil).census.expired == 1_800)
        // The four newest of each feed go before the first batch.
        try app.execute("DELETE FROM t WHERE id <= 1200")
        while true {
            do {
                if try worker.deleteBatch(rows: 100).work.isLast { break }
            } catch {
                // Without an index the rule may give up while the app writes; it must not delete.
                #expect(!index && error.kind == .busy, "\(error)")
                break
            }
        }
        #expect(try smallestGroup(app)[0] >= 4)
    }

    @Test(
        "without a write-ahead log the newest are looked for in pieces, each in a transaction of its own",
        arguments: [true, false])
    func pieces(index: Bool) throws {
        let app = try store(index: index, mode: "DELETE")
        try app.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
            INSERT INTO t (at, feed) SELECT \(old) - 3000 - i, i % 300 FROM n;
            """)
        let worker = try SQLiteWorker(path: app.path, control: freeControl(), monotonic: systemMonotonic)
        defer { worker.close() }
        let trace = StatementTrace()
        trace.follow(worker.connection.database)
        let task = PruneTask(rule, start: runStart, in: .gmt)
        #expect(try worker.begin(task, accessPath: nil).census.expired == 41_796)
        // What begins a piece, reads it, and ends it.
        let pieces = trace.statements.indices.filter { index in
            let sql = trace.statements[index]
            return sql.hasPrefix("INSERT") && sql.contains("FROM \"t\"")
        }
        #expect(pieces.count > 5)
        #expect(pieces.allSatisfy { trace.statements[$0 + 1] == "COMMIT" })
        #expect(!trace.statements.contains { $0.contains("row_number") && $0.contains("FROM \"t\"") })
    }

    @Test("what the app deletes while the newest are looked for does not count", arguments: [true, false])
    func appDeletesWhileLooking(index: Bool) throws {
        let app = try store(index: index, mode: "DELETE")
        let isDeleted = Mutex(false)
        // The clock is read before and after each piece.
        let readings = Mutex(0)
        let control = RunControl {
            let reading = readings.withLock {
                $0 += 1; return $0
            }
            isDeleted.withLock { isDeleted in
                guard reading > 10, !isDeleted else { return }
                isDeleted = (try? app.execute("DELETE FROM t WHERE id <= 1200")) != nil
            }
            return systemMonotonic()
        }
        let worker = try app.store.openWorker(control)
        defer { worker.close() }
        do {
            _ = try worker.begin(PruneTask(rule, start: runStart, in: .gmt), accessPath: nil)
            while try !worker.deleteBatch(rows: 500).work.isLast {}
        } catch {
            #expect(!index && error.kind == .busy, "\(error)")
        }
        #expect(isDeleted.withLock { $0 })
        #expect(try smallestGroup(app)[0] >= 4)
    }

    @Test("a group that appears during the run keeps its rows")
    func newGroup() throws {
        let app = try store(index: true)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(rule, start: runStart, in: .gmt), accessPath: nil)
        try app.execute("UPDATE t SET feed = 1000 WHERE id IN (2998, 2999, 3000)")
        while try !worker.deleteBatch(rows: 500).work.isLast {}
        #expect(try app.integers("SELECT count(*) FROM t WHERE feed = 1000") == [3])
    }
}
