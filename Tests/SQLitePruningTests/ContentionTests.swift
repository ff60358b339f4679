import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Another process at work on the same file.
@Suite(.enabled(if: SQLiteShell.isInstalled, "the sqlite3 program is not installed"))
struct ContentionTests {
    private static let accessPaths = AccessPath.allCases
    /// `F_OFD_GETLK`, fcntl(2).
    private static let lockOfOpenFile: Int32 = 36

    private func store(_ mode: String, rows: Int = 2_000) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(mode);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i, iif(i % 2, \(old), \(fresh)), hex(zeroblob(100)) FROM n;
            """)
    }

    private func worker(_ app: TemporaryStore, _ accessPath: AccessPath) throws -> any WorkerContext {
        let worker = try app.store.openWorker(freeControl())
        #expect(
            try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath).accessPath
                == accessPath)
        return worker
    }

    /// What a batch of 100 rows finds in ``store(_:rows:)``: the walk looks at every row, the index at expired ones.
    private func expiredOf100(_ accessPath: AccessPath) -> Int64 { accessPath == .walk ? 50 : 100 }

    /// Runs `body`, which must end in a busy store, and returns how long that took.
    private func timeUntilBusy(_ body: () throws -> Void) throws -> Duration {
        let begin = systemMonotonic()
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.kind == .busy)
        return systemMonotonic() - begin
    }

    @Test(
        "looking at a store does not drop the locks that this process holds on it",
        arguments: ["WAL", "DELETE"])
    func locksSurvive(mode: String) throws {
        let app = try store(mode)
        let peer = try SQLiteShell(app.path)
        try app.open { db in
            try db.beginTransaction(.immediate)
            try db.execute(sql: "UPDATE t SET text = 'ours' WHERE id = 1")
            _ = app.store.exists()
            try app.store.checkAccess()
            try app.store.claim(freeControl()).release()
            let view = try app.store.openView(freeControl())
            try view.validate(.old())
            view.close()
            let answer = try peer.run(".timeout 100\nUPDATE t SET text = 'theirs' WHERE id = 1;")
            #expect(answer.contains("database is locked"))
            try db.commit()
        }
        #expect(try app.texts("SELECT text FROM t WHERE id = 1") == ["ours"])
    }

    @Test(
        "a write lock that another holds makes a batch busy after a short wait",
        arguments: ["WAL", "DELETE"], accessPaths)
    func writer(mode: String, accessPath: AccessPath) throws {
        let app = try store(mode)
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let peer = try SQLiteShell(app.path)
        try peer.run("BEGIN IMMEDIATE; UPDATE t SET text = 1 WHERE id = 1;")
        let waited = try timeUntilBusy { _ = try worker.deleteBatch(rows: 100) }
        #expect(waited < .milliseconds(500))
        try peer.run("COMMIT;")
        #expect(try worker.deleteBatch(rows: 100).deleted == expiredOf100(accessPath))
    }

    @Test(
        "a run gives up on a busy store when its patience ends, says so, and changes nothing",
        arguments: ["WAL", "DELETE"], accessPaths)
    func patience(mode: String, accessPath: AccessPath) throws {
        let app = try store(mode)
        let peer = try SQLiteShell(app.path)
        try peer.run("BEGIN \(mode == "WAL" ? "IMMEDIATE" : "EXCLUSIVE");")
        let report = app.outcome(accessPath: accessPath)
        #expect(report.outcome == .skipped)
        #expect(report.failure?.kind == .fault(.busy))
        #expect(report.failure?.hint != nil)
        #expect(report.deleted == 0)
        try peer.run("ROLLBACK;")
        let next = app.outcome(accessPath: accessPath)
        #expect(next.accessPath == accessPath)
        #expect(next.deleted == 1_000)
    }

    @Test(
        "a reader in rollback-journal mode: the batch soon gives up, is undone, and comes again",
        arguments: accessPaths)
    func reader(accessPath: AccessPath) throws {
        let app = try store("DELETE")
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let waited = try timeUntilBusy { _ = try worker.deleteBatch(rows: 100) }
        #expect(waited < .milliseconds(500))
        // A new reader is let in at once: no lock was left behind.
        let other = try SQLiteShell(app.path)
        #expect(try other.run(".timeout 0\nSELECT count(*) FROM t;") == "2000\n")
        #expect(try reader.run("SELECT count(*) FROM t; COMMIT;") == "2000\n")
        #expect(try worker.deleteBatch(rows: 100).deleted == expiredOf100(accessPath))
    }

    @Test("a reader in WAL mode holds nothing up, and sees its own state to the end", arguments: accessPaths)
    func walReader(accessPath: AccessPath) throws {
        let app = try store("WAL")
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let report = app.outcome(accessPath: accessPath)
        #expect(report.accessPath == accessPath)
        #expect(report.deleted == 1_000)
        #expect(try reader.run("SELECT count(*) FROM t; COMMIT;") == "2000\n")
    }

    @Test(
        "an app that died in mid-write is recovered by the run",
        arguments: ["WAL", "DELETE", "TRUNCATE", "PERSIST"], accessPaths)
    func deadApp(mode: String, accessPath: AccessPath) throws {
        let app = try store(mode)
        let peer = try SQLiteShell(app.path)
        // A cache of one page spills the unfinished transaction into the file.
        try peer.run(
            "PRAGMA journal_mode = \(mode); PRAGMA cache_size = 1; BEGIN; UPDATE t SET at = \(old), text = hex(zeroblob(120));"
        )
        peer.kill()
        let report = app.outcome(accessPath: accessPath)
        #expect(report.outcome == .done, "\(report.failure?.description ?? "")")
        #expect(report.accessPath == accessPath)
        #expect(report.deleted == 1_000)
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try app.integers("SELECT count(*) FROM t WHERE at = \(fresh)") == [1_000])
    }

    @Test(
        "the worker knows whether another process has the store open", arguments: ["WAL", "DELETE"],
        accessPaths)
    func company(mode: String, accessPath: AccessPath) throws {
        let app = try store(mode)
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let isAlone = try worker.deleteBatch(rows: 10).work.isAlone
        // Outside of WAL mode there is nothing to know it by.
        #expect(isAlone == (mode == "WAL"))
        let other = try SQLiteShell(app.path)
        try other.run("SELECT count(*) FROM t;")
        #expect(try !worker.deleteBatch(rows: 10).work.isAlone)
        other.quit()
        #expect(try worker.deleteBatch(rows: 10).work.isAlone == isAlone)
    }

    @Test("to ask who else has the store open drops none of this process's locks", arguments: accessPaths)
    func askingKeepsLocks(accessPath: AccessPath) throws {
        let app = try store("WAL")
        let worker = try worker(app, accessPath)
        for _ in 0..<3 { _ = try worker.deleteBatch(rows: 10) }
        // Whoever finds no lock there takes itself for the first, and makes the shared memory anew.
        let memory = open(app.path + "-shm", O_RDWR | O_CLOEXEC)
        // To close it earlier would itself drop the locks.
        defer { _ = (worker.close(), close(memory)) }
        var lock = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 128, l_len: 1, l_pid: 0)
        // A lock of an open file is another owner than the process: it meets the process's own locks.
        #expect(fcntl(memory, Self.lockOfOpenFile, &lock) == 0)
        #expect(lock.l_type == Int16(F_RDLCK))
    }
}
