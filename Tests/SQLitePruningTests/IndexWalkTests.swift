import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// What a batch reads that an index on time leads to.
struct IndexWalkTests {
    private static let rows = 20_000

    /// Times in no order of the keys; two thirds of them are expired, over hundreds of days.
    private static let filling = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO t SELECT i, iif(i % 3, \(old) - i * 7919 % \(rows) * 997, \(fresh)) FROM n;
        """

    @Test(
        "a batch reads the entries of its own slice, and of no other",
        arguments: [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX t_at ON t (at);",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT; CREATE INDEX t_day ON t (at / 86400);",
            "CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID; CREATE INDEX t_at ON t (at);",
        ], [true, false])
    func slices(schema: String, keepsOldest: Bool) throws {
        let app = try TemporaryStore(schema + Self.filling)
        // The oldest rows stay where they are, in front of all others.
        let kept = keepsOldest ? Self.rows / 3 : 0
        try app.execute(
            """
            CREATE TABLE keeper (id INTEGER PRIMARY KEY);
            INSERT INTO keeper SELECT id FROM t WHERE at < \(cutoff) ORDER BY at LIMIT \(kept);
            """)
        let rule = RetentionRule.old(keptBy: ColumnReference(table: "keeper", column: "id"))
        let worker = try SQLiteWorker(path: app.path, control: freeControl(), monotonic: systemMonotonic)
        defer { worker.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        #expect(try worker.begin(task, accessPath: .index).accessPath == .index)
        let steps = StatementSteps()
        steps.follow(worker.connection.database)
        var deleted: Int64 = 0
        while true {
            let batch = try worker.deleteBatch(rows: 100)
            deleted += batch.deleted
            if batch.isLast { break }
        }
        #expect(
            try app.integers("SELECT count(*) FROM t WHERE at < \(cutoff)") == [Int64(kept)])
        #expect(try deleted + app.integers("SELECT count(*) FROM t")[0] == Int64(Self.rows))
        #expect(steps.most < 100 * Self.stepsPerRow, "\(steps.most)")
    }

    /// More than any statement takes for a row that it has to judge, and delete.
    private static let stepsPerRow: CInt = 100
}
