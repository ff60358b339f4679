import Foundation
import GRDBSQLite
import Pruning
import TestSupport
import Testing

@testable import SQLitePruning

/// What the archive has of rows whose deletion fails.
struct ArchivingTests {
    @Test("rows that readers keep from being deleted are not archived once more with every try")
    func busyCommit() throws {
        let app = try ArchivedStore(
            """
            PRAGMA journal_mode = DELETE;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO t SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5]');
            """)
        let reader = try SQLiteShell(app.app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .skipped && report.deleted == 0)
        #expect(try app.archivedRows() == 0)
        reader.quit()
        #expect(app.prune(.archiving()).rules[0].deleted == 5)
        #expect(try app.archivedRows() == 5)
        #expect(try app.restore().map(\.restored) == [5])
    }

    @Test("rows that a deferred foreign key keeps from being deleted are not archived with every run")
    func deferredForeignKey() throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE other (t REFERENCES t DEFERRABLE INITIALLY DEFERRED);
            CREATE INDEX other_t ON other (t);
            INSERT INTO t SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5]');
            INSERT INTO other VALUES (3);
            """)
        for _ in 0..<2 {
            let report = app.prune(.archiving()).rules[0]
            #expect(report.outcome == .failed && report.deleted == 0)
            #expect(report.failure?.hint?.contains("kept_by") == true)
        }
        #expect(try app.archivedRows() == 0)
        try app.app.execute("DELETE FROM other")
        #expect(app.prune(.archiving()).rules[0].deleted == 5)
        #expect(try app.archivedRows() == 5)
    }

    @Test("large rows are archived in batches that take little memory, a single one whatever its size")
    func largeRows() throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, b);
            INSERT INTO t SELECT value, \(old), zeroblob(6000000) FROM json_each('[1, 2, 3, 4, 5]');
            INSERT INTO t VALUES (6, \(old), zeroblob(17000000)), (7, \(old), 0), (8, \(old), 0);
            """)
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .done && report.deleted == 8, "\(report)")
        let archive = try SQLiteShell(app.archivePath)
        let sizes = "SELECT count(*) FROM batch WHERE length(rows) > 1 << 24 AND row_count > 1;"
        #expect(try archive.run(sizes) == "0\n")
        archive.quit()
        #expect(try app.restore().map(\.restored) == [8])
    }

    @Test("what is too large for the archive is not taken for a fault of the archive")
    func tooLarge() throws {
        let app = try ArchivedStore("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);")
        let error = #expect(throws: StoreError.self) {
            try app.archive.naming { () throws(StoreError) in
                try SQLiteFailure(operation: "archive rows", place: app.archivePath).translating {
                    throw DatabaseError(SQLITE_TOOBIG, of: nil)
                }
            }
        }
        #expect(error?.kind == .tooLarge)
        #expect(error?.hint?.contains("archive = false") == true)
    }

    @Test("a batch that finds the store busy takes nothing of the batch before it out of the archive")
    func busyNextBatch() throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO t SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5]');
            """)
        let worker = try app.store.openWorker(freeControl())
        var task = PruneTask(.archiving(), start: runStart, in: .gmt)
        var generator = SystemRandomNumberGenerator()
        task.runID = RunID(start: runStart, using: &generator)
        _ = try worker.begin(task, plan: .walk)
        #expect(try worker.deleteBatch(rows: 2).deleted == 2)
        let other = try SQLiteShell(app.app.path)
        try other.run("BEGIN IMMEDIATE;")
        #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 2) }
        #expect(try app.archivedRows() == 2)
        other.quit()
        #expect(try worker.deleteBatch(rows: 10).deleted == 3)
        worker.close()
        #expect(try app.archivedRows() == 5)
    }
}
