import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// `keep_last_per`: the newest rows of each group stay, also while the app writes.
struct GroupTests {
    /// Ten rows of each of 300 feeds, all expired: row 1 of a feed is its newest.
    private func store(index: Bool) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
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

    @Test("the newest of each group stay, and NULL is a group", arguments: [true, false])
    func newest(index: Bool) throws {
        let app = try store(index: index)
        #expect(app.outcome(rule, dryRun: true).expired == 1_800)
        #expect(app.outcome(rule).deleted == 1_800)
        #expect(try app.integers("SELECT max(id) FROM t") == [1_200])
        #expect(try app.integers("SELECT count(*) FROM t WHERE feed IS NULL") == [4])
    }

    @Test("rows that become the newest because the app deletes newer ones stay", arguments: [true, false])
    func appDeletes(index: Bool) throws {
        let app = try store(index: index)
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

    @Test("a group column that is not there fails the rule")
    func noColumn() throws {
        let app = try store(index: false)
        var rule = rule
        rule.keepLastPer = ["fed"]
        #expect(app.outcome(rule).failure?.cause == "table t has no column \"fed\"")
    }
}
