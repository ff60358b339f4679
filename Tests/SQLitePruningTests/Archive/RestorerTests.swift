import Foundation
import Pruning
import SQLitePruning
import TestSupport
import Testing

/// What happens between the transactions of a restore.
struct RestorerTests {
    /// Ten expired rows, which a batch has put into the archive.
    private func archived(_ table: String = "t (id INTEGER PRIMARY KEY, at INTEGER)") throws -> ArchivedStore
    {
        let app = try ArchivedStore(
            """
            CREATE TABLE \(table);
            INSERT INTO t (id, at) SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]');
            """)
        #expect(try app.pruneInOneBatch(.archiving()) == 10)
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
        #expect(try restorer.restoreBatch(rows: 4).restored == 4)
        try SQLiteShell(app.archivePath).run("UPDATE batch SET run_id = 'another', columns = '[\"other\"]';")
        #expect(try restorer.restoreBatch(rows: 100).restored == 6)
        #expect(try restorer.restoreBatch(rows: 100).isLast)
        restorer.close()
        #expect(try app.archivedRows() == 10)

        let late = try archived()
        let waiting = try self.restorer(late)
        try SQLiteShell(late.archivePath).run("UPDATE batch SET run_id = 'another';")
        #expect(try waiting.restoreBatch(rows: 100).restored == 0)
        waiting.close()
        #expect(try late.app.integers("SELECT count(*) FROM t") == [0])
    }

    @Test("what is put back is counted, and taken out of the archive, though that is busy meanwhile")
    func busyArchive() throws {
        let app = try archived()
        let restorer = try restorer(app)
        let first = try restorer.restoreBatch(rows: 100)
        #expect(first.restored == 10 && !first.isLast)
        let other = try SQLiteShell(app.archivePath)
        try other.run("BEGIN IMMEDIATE;")
        #expect(throws: StoreError.self) { try restorer.restoreBatch(rows: 100) }
        try other.run("ROLLBACK;")
        let last = try restorer.restoreBatch(rows: 100)
        #expect(last.restored == 0 && last.isLast && last.skipped.isEmpty)
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
        #expect(try app.pruneInOneBatch(.archiving()) == 4)
        try killRestore(of: app, after: 4)
        let preview = try app.restore(dryRun: true)
        let again = try app.restore()
        #expect(again == preview)
        #expect(again.map(\.restored) == [0] && again[0].skipped == [.exists: 4])
        #expect(try app.app.integers("SELECT count(*) FROM t") == [4])
    }

    /// As if it had been killed when so many rows were back, and none had left the archive.
    private func killRestore(of app: ArchivedStore, after rows: Int) throws {
        let restorer = try restorer(app)
        #expect(try restorer.restoreBatch(rows: rows).restored == rows)
        let files = ["", "-wal"].map { app.archivePath + $0 }
        for file in files { try FileManager.default.copyItem(atPath: file, toPath: file + "-copy") }
        restorer.close()
        for file in files { #expect(rename(file + "-copy", file) == 0) }
    }

    @Test(
        "of the same rows without a key none is lost or doubled, however often a restore is killed",
        arguments: ["t (x, at INTEGER)", "t (id TEXT PRIMARY KEY, x, at INTEGER)"], [true, false])
    func killedCopies(table: String, placesAreTaken: Bool) throws {
        let app = try ArchivedStore("CREATE TABLE \(table);")
        let ten = "SELECT 'a', \(old) FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]')"
        try app.app.execute("INSERT INTO t (x, at) \(ten)")
        #expect(try app.pruneInOneBatch(.archiving()) == 10)
        if placesAreTaken { try app.app.execute("INSERT INTO t (x, at) \(ten)") }
        try killRestore(of: app, after: 4)
        // A stop leaves the archive as it is to go on with, with what it found.
        let stopped = try restorer(app)
        #expect(try stopped.restoreBatch(rows: 2).skipped == [.exists: 2])
        stopped.close()
        #expect(try app.archivedRows() == 8)
        try killRestore(of: app, after: 0)
        let preview = try app.restore(dryRun: true)
        let again = try app.restore()
        #expect(again == preview)
        #expect(again.map(\.restored) == [6] && again[0].skipped == [.exists: 2])
        #expect(try app.app.integers("SELECT count(*) FROM t") == [placesAreTaken ? 20 : 10])
        #expect(try app.archivedRows() == 0)
        #expect(try app.restore().map(\.restored) == [0])
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
        for dryRun in [true, false] {
            let report = try #require(app.restore(dryRun: dryRun).first)
            #expect(report.restored == 0 && report.skipped == [.damaged: 10], "\(report)")
        }
        #expect(try app.archivedRows() == 10)
    }

    @Test("no row is put back that a full-text index of the table would not be told of")
    func externalContent() throws {
        let app = try archived("t (id INTEGER PRIMARY KEY, at INTEGER, text DEFAULT 'some')")
        try app.app.execute("CREATE VIRTUAL TABLE f USING fts5(text, content='t', content_rowid='id')")
        let report = try #require(try app.restore().first)
        #expect(report.failure?.cause.contains("full-text index f") == true, "\(report)")
        #expect(try app.archivedRows() == 10)
        try app.app.execute("DROP TABLE f")
        #expect(try app.restore().first?.restored == 10)
    }

    @Test(
        "the usual trigger that tells a full-text index of new rows fires for those that are put back; another one does not",
        arguments: [
            ("new.id, new.text", 10), ("NEW.rowid, NEW.text", 10), ("new.id, upper(new.text)", 0),
            ("7, new.text", 0),
        ])
    func indexTrigger(values: String, restored: Int64) throws {
        let app = try archived("t (id INTEGER PRIMARY KEY, at INTEGER, text DEFAULT 'some')")
        try app.app.execute(
            """
            CREATE VIRTUAL TABLE f USING fts5(text, content='t', content_rowid='id');
            INSERT INTO f (f) VALUES ('rebuild');
            CREATE TRIGGER a AFTER INSERT ON t BEGIN INSERT INTO f (rowid, text) VALUES (\(values)); END
            """)
        let found = "SELECT count(*) FROM f WHERE f MATCH 'some'"
        let before = try app.app.integers(found)[0]
        let report = try #require(try app.restore().first)
        #expect(report.restored == restored, "\(report)")
        #expect(try app.app.integers(found) == [before + restored])
        try app.app.execute("INSERT INTO f (f, rank) VALUES ('integrity-check', 1)")
    }
}
