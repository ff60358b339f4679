import CSQLite
import Foundation
import Pruning
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// SQLite's "WAL-reset bug": a checkpoint loses commits when it begins with all of the log in the database and, in its
/// first instant, somebody starts the log anew.
@Suite(.enabled(if: SQLiteShell.isInstalled, "the sqlite3 program is not installed"))
struct LogResetTests {
    @Test(
        "a log that an app completes and starts anew just as the worker checkpoints loses nothing",
        arguments: AccessPath.allCases)
    func underOurCheckpoint(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        let other = try SQLiteShell(app.path)
        try other.run("PRAGMA wal_autocheckpoint = 0; SELECT count(*) FROM app;")
        let deleted = try deleteUntilLong(worker)

        let trap = try #require(
            CheckpointTrap(in: worker.connection.database) {
                _ = try? other.run("INSERT INTO app VALUES (1); PRAGMA wal_checkpoint;")
            } afterLook: {
                _ = try? other.run("INSERT INTO app VALUES (2);")
            })
        try worker.maintain()
        trap.remove()
        #expect(trap.hasSprung)
        try other.run("INSERT INTO app VALUES (3);")
        other.quit()
        worker.close()

        try expectWhole(app, deleted: deleted, inserted: [1, 2, 3])
    }

    @Test(
        "a log that the worker completes, and goes on with, just as an app checkpoints loses nothing",
        arguments: AccessPath.allCases)
    func underTheirCheckpoint(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        let other = try Database(uri: "file:\(app.path)", isReadOnly: false, busyTimeout: 5_000)
        try other.execute("PRAGMA wal_autocheckpoint = 0")
        let company = try SQLiteShell(app.path)
        try company.run("SELECT count(*) FROM app;")
        var deleted = try deleteUntilLong(worker)
        try other.execute("INSERT INTO app VALUES (1)")

        let trap = try #require(
            CheckpointTrap(in: other) {
                deleted += (try? worker.deleteBatch(rows: 100).deleted) ?? 0
                try? worker.maintain()
            } afterLook: {
                deleted += (try? worker.deleteBatch(rows: 100).deleted) ?? 0
            })
        try other.execute("PRAGMA wal_checkpoint")
        trap.remove()
        #expect(trap.hasSprung)
        deleted += try worker.deleteBatch(rows: 100).deleted
        try other.execute("INSERT INTO app VALUES (2)")
        other.close()
        worker.close()

        try expectWhole(app, deleted: deleted, inserted: [1, 2])
    }

    @Test(
        "while somebody keeps the lock of checkpoints, a batch appends to a log that could start anew",
        arguments: AccessPath.allCases)
    func appending(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let db = worker.connection.database
        let other = try Database(uri: "file:\(app.path)", isReadOnly: false, busyTimeout: 0)
        defer { other.close() }
        _ = try deleteUntilLong(worker)
        _ = try db.checkpoint()
        let complete = try #require(LogIndex(of: db))
        #expect(complete.startsAnew)

        _ = try other.schemaVersion()
        let lock = try #require(other.file?.pointee.pMethods.pointee.xShmLock)
        let checkpoints = LogReset.checkpointLock
        #expect(lock(other.file, checkpoints, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
        #expect(try worker.deleteBatch(rows: 100).deleted > 0)
        let longer = try #require(LogIndex(of: db))
        #expect(longer.generation == complete.generation)
        #expect(longer.frames > complete.frames)

        #expect(lock(other.file, checkpoints, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
        _ = try db.checkpoint()
        _ = try worker.deleteBatch(rows: 100)
        #expect(LogIndex(of: db)?.generation != complete.generation)
        // Nothing is kept from anybody afterwards.
        #expect(try other.row("PRAGMA wal_checkpoint(TRUNCATE)")?.first?.integer == 0)
    }

    @Test(
        "what guards the log is never that of another file which the app has put in the store's place",
        arguments: ["WAL", "DELETE"])
    func replaced(mode: String) throws {
        let app = try bigStore()
        let worker = try worker(app)
        defer { worker.close() }
        let directory = app.directory.path
        for file in ["app.sqlite", "app.sqlite-wal", "app.sqlite-shm"] {
            try FileManager.default.moveItem(
                atPath: "\(directory)/\(file)", toPath: "\(directory)/old-\(file)")
        }
        try app.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (x)")
        let error = #expect(throws: DatabaseError.self) { try worker.connection.database.logReset() }
        #expect(error?.code == LogReset.moved)
        // Nor is anything made beside it.
        #expect(FileFacts(at: app.path + "-shm") == nil)
    }

    private static let rows: Int64 = 60_000

    /// Three rows to a page, of which one stays.
    private func bigStore() throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE app (number INTEGER);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO t SELECT i, iif(i % 3, \(old), \(fresh)), hex(zeroblob(600)) FROM n;
            """)
    }

    private func worker(_ app: TemporaryStore, _ accessPath: AccessPath = .walk) throws -> SQLiteWorker {
        let worker = try SQLiteWorker(path: app.path, control: freeControl(), monotonic: systemMonotonic)
        #expect(
            try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath).accessPath
                == accessPath)
        return worker
    }

    /// Deletes until the log is worth a checkpoint even while somebody else has the store open. How many rows that were.
    private func deleteUntilLong(_ worker: SQLiteWorker) throws -> Int64 {
        var deleted: Int64 = 0
        while try length(of: worker) < WriteAheadLog.checkpointBytes + 1 << 20 {
            deleted += try worker.deleteBatch(rows: 500).deleted
        }
        return deleted
    }

    private func expectWhole(_ app: TemporaryStore, deleted: Int64, inserted: [Int64]) throws {
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try app.integers("SELECT number FROM app ORDER BY 1") == inserted)
        #expect(try app.integers("SELECT count(*) FROM t") == [Self.rows - deleted])
    }

    private func length(of worker: SQLiteWorker) throws -> Int {
        try #require(LogIndex(of: worker.connection.database)).frames * 4_096
    }
}
