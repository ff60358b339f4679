import Foundation
import Pruning
import SQLitePruning
import TestSupport
import Testing

/// What happens between the transactions of a restore.
struct RestorerTests {
    /// Ten expired rows, which a run has put into the archive.
    private func archived(_ table: String = "t (id INTEGER PRIMARY KEY, at INTEGER)") throws -> ArchivedStore
    {
        let app = try ArchivedStore(
            """
            CREATE TABLE \(table);
            INSERT INTO t (id, at) SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]');
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 10)
        return app
    }

    private func restorer(_ app: ArchivedStore) throws -> any RestoringContext {
        let part = try #require(app.archive.parts(freeControl()).first)
        return try app.store.openRestorer(
            part, leaseEnd: runStart.addingTimeInterval(86_400), freeControl())
    }

    @Test("a batch that got the id of one that is gone by now is not taken for it")
    func reusedID() throws {
        let app = try archived()
        let restorer = try restorer(app)
        #expect(try restorer.restoreBatch(rows: 4).result.deleted == 4)
        try SQLiteShell(app.archivePath).run("UPDATE batch SET run_id = 'another', columns = '[\"other\"]';")
        #expect(try restorer.restoreBatch(rows: 100).result.deleted == 6)
        #expect(try restorer.restoreBatch(rows: 100).result.isLast)
        restorer.close()
        #expect(try app.archivedRows() == 10)

        let late = try archived()
        let waiting = try self.restorer(late)
        try SQLiteShell(late.archivePath).run("UPDATE batch SET run_id = 'another';")
        #expect(try waiting.restoreBatch(rows: 100).result.deleted == 0)
        waiting.close()
        #expect(try late.app.integers("SELECT count(*) FROM t") == [0])
    }

    @Test("what is put back is counted, and taken out of the archive, though that is busy meanwhile")
    func busyArchive() throws {
        let app = try archived()
        let restorer = try restorer(app)
        let first = try restorer.restoreBatch(rows: 100)
        #expect(first.result.deleted == 10 && !first.result.isLast)
        let other = try SQLiteShell(app.archivePath)
        try other.run("BEGIN IMMEDIATE;")
        #expect(throws: StoreError.self) { try restorer.restoreBatch(rows: 100) }
        try other.run("ROLLBACK;")
        let last = try restorer.restoreBatch(rows: 100)
        #expect(last.result.deleted == 0 && last.result.isLast && last.skipped.isEmpty)
        restorer.close()
        #expect(try app.archivedRows() == 0)
    }

    @Test(
        "a restore that is killed before rows leave the archive puts none back twice",
        arguments: [
            "t (id TEXT PRIMARY KEY, x, at INTEGER)", "t (id, x, at INTEGER)",
            "t (id TEXT, x, at INTEGER, PRIMARY KEY (id, x))",
        ])
    func killed(table: String) throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE \(table);
            INSERT INTO t VALUES (NULL, 1, \(old)), (NULL, 2, \(old)), ('a', NULL, \(old)), ('b', NULL, \(old));
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 4)
        let copy = app.archivePath + "-copy"
        try FileManager.default.copyItem(atPath: app.archivePath, toPath: copy)
        #expect(try app.restore().map(\.restored) == [4])
        #expect(rename(copy, app.archivePath) == 0)  // as if it had been killed before
        let preview = try app.restore(dryRun: true)
        let again = try app.restore()
        #expect(again == preview)
        #expect(again.map(\.restored) == [0] && again[0].skipped == [.exists: 4])
        #expect(try app.app.integers("SELECT count(*) FROM t") == [4])
    }

    @Test(
        "of rows with deferred foreign keys, those come back whose rows are there, and no others have a lease"
    )
    func deferredForeignKeys() throws {
        let app = try archived(
            """
            p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10);
            CREATE TABLE t (id INTEGER PRIMARY KEY REFERENCES p DEFERRABLE INITIALLY DEFERRED, at INTEGER)
            """)
        try app.app.execute("DELETE FROM p WHERE id IN (2, 5, 6)")
        let report = try #require(app.restore().first)
        #expect(report.outcome == .done && report.restored == 7 && report.skipped == [.refused: 3])
        #expect(try app.app.integers("SELECT id FROM t") == [1, 3, 4, 7, 8, 9, 10])
        #expect(try app.archivedRows() == 3)
        let leases = try SQLiteShell(app.archivePath).run("SELECT sum(length(fingerprints)) / 8 FROM lease;")
        #expect(leases.trimmingCharacters(in: .whitespacesAndNewlines) == "7")
        try app.app.execute("INSERT INTO p VALUES (2), (5), (6)")
        #expect(try app.restore().map(\.restored) == [3])
        #expect(app.prune(.archiving()).rules[0].expired == 0)
    }

    @Test("an archived batch that lacks rows is not taken for whole")
    func lackingRows() throws {
        let app = try archived()
        try SQLiteShell(app.archivePath).run("UPDATE batch SET rows = x'', row_count = 10;")
        let report = try #require(app.restore().first)
        #expect(report.outcome == .failed && report.restored == 0)
        #expect(report.failure?.hint != nil)
        #expect(try app.archivedRows() == 10)
    }
}
