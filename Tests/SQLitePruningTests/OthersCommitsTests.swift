import Pruning
import TestSupport
import Testing

@testable import SQLitePruning

/// How often an app writes between two batches.
@Suite(.enabled(if: SQLiteShell.isInstalled, "the sqlite3 program is not installed"))
struct OthersCommitsTests {
    private func app(mode: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(mode);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE app (number);
            INSERT INTO t SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5]');
            """)
    }

    private func worker(_ app: TemporaryStore) throws -> any WorkerContext {
        let worker = try app.store.openWorker(freeControl())
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil)
        #expect(try worker.deleteBatch(rows: 2).deleted == 2)
        return worker
    }

    @Test("each commit since the last batch counts, also where the log is started anew")
    func counted() throws {
        let app = try app(mode: "WAL")
        let other = try SQLiteShell(app.path)
        let worker = try worker(app)
        defer { worker.close() }
        #expect(try worker.othersCommits() == 0)
        try other.run("INSERT INTO app VALUES (1);")
        #expect(try worker.othersCommits() == 1)
        try other.run("INSERT INTO app VALUES (2); INSERT INTO app VALUES (3);")
        #expect(try worker.othersCommits() == 3)
        #expect(try worker.deleteBatch(rows: 2).deleted == 2)
        #expect(try worker.othersCommits() == 0)
        try other.run("PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO app VALUES (4);")
        #expect(try worker.othersCommits() == 1)
        try worker.maintain()
        #expect(try worker.othersCommits() == 1)
    }

    @Test("a transaction that is rolled back is none")
    func rolledBack() throws {
        let app = try app(mode: "WAL")
        let other = try SQLiteShell(app.path)
        let worker = try worker(app)
        defer { worker.close() }
        try other.run("BEGIN IMMEDIATE; INSERT INTO app VALUES (1); ROLLBACK;")
        #expect(try worker.othersCommits() == 0)
    }

    @Test("without a log it is known that somebody has written, and no more")
    func withoutLog() throws {
        let app = try app(mode: "DELETE")
        let other = try SQLiteShell(app.path)
        let worker = try worker(app)
        defer { worker.close() }
        #expect(try worker.othersCommits() == 0)
        try other.run("INSERT INTO app VALUES (1); INSERT INTO app VALUES (2);")
        #expect(try worker.othersCommits() == 1)
    }

    @Test(
        "what an app brings in the place of rows that were counted is left to the next run, and is no failure",
        arguments: ["WAL", "DELETE"])
    func replacedRows(mode: String) throws {
        let app = try app(mode: mode)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil)
        try app.execute(
            "DELETE FROM t; INSERT INTO t SELECT value, \(old) FROM json_each('[6, 7, 8, 9, 10]')")
        var batch: BatchResult
        repeat {
            batch = try worker.deleteBatch(rows: 2)
            #expect(batch.deleted == 0)
        } while !batch.isLast
        #expect(try worker.shortfall() == nil)
    }
}
