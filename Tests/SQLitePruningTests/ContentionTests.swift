import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Another process at work on the same file.
@Suite(.enabled(if: SQLiteShell.isInstalled, "the sqlite3 program is not installed"))
struct ContentionTests {
    private static let plans = DeletePlan.allCases

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

    private func worker(_ app: TemporaryStore, _ plan: DeletePlan) throws -> any WorkerContext {
        let worker = try app.store.openWorker(freeControl())
        #expect(try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), plan: plan).plan == plan)
        return worker
    }

    /// What a batch of 100 rows finds in ``store(_:rows:)``: the walk looks at every row, the index at expired ones.
    private func expiredOf100(_ plan: DeletePlan) -> Int64 { plan == .walk ? 50 : 100 }

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
            try app.store.claim().release()
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
        arguments: ["WAL", "DELETE"], plans)
    func writer(mode: String, plan: DeletePlan) throws {
        let app = try store(mode)
        let worker = try worker(app, plan)
        defer { worker.close() }
        let peer = try SQLiteShell(app.path)
        try peer.run("BEGIN IMMEDIATE; UPDATE t SET text = 1 WHERE id = 1;")
        let waited = try timeUntilBusy { _ = try worker.deleteBatch(rows: 100) }
        #expect(waited < .milliseconds(500))
        try peer.run("COMMIT;")
        #expect(try worker.deleteBatch(rows: 100).deleted == expiredOf100(plan))
    }

    @Test(
        "a run gives up on a busy store when its patience ends, says so, and changes nothing",
        arguments: ["WAL", "DELETE"], plans)
    func patience(mode: String, plan: DeletePlan) throws {
        let app = try store(mode)
        let peer = try SQLiteShell(app.path)
        try peer.run("BEGIN \(mode == "WAL" ? "IMMEDIATE" : "EXCLUSIVE");")
        let report = app.outcome(plan: plan)
        #expect(report.outcome == .skipped)
        #expect(report.failure?.kind == .busy)
        #expect(report.failure?.hint != nil)
        #expect(report.deleted == 0)
        try peer.run("ROLLBACK;")
        let next = app.outcome(plan: plan)
        #expect(next.plan == plan)
        #expect(next.deleted == 1_000)
    }

    @Test(
        "a reader in rollback-journal mode: the batch soon gives up, is undone, and comes again",
        arguments: plans)
    func reader(plan: DeletePlan) throws {
        let app = try store("DELETE")
        let worker = try worker(app, plan)
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let waited = try timeUntilBusy { _ = try worker.deleteBatch(rows: 100) }
        #expect(waited < .milliseconds(500))
        // A new reader is let in at once: no lock was left behind.
        let other = try SQLiteShell(app.path)
        #expect(try other.run(".timeout 0\nSELECT count(*) FROM t;") == "2000\n")
        #expect(try reader.run("SELECT count(*) FROM t; COMMIT;") == "2000\n")
        #expect(try worker.deleteBatch(rows: 100).deleted == expiredOf100(plan))
    }

    @Test("a reader in WAL mode holds nothing up, and sees its own state to the end", arguments: plans)
    func walReader(plan: DeletePlan) throws {
        let app = try store("WAL")
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let report = app.outcome(plan: plan)
        #expect(report.plan == plan)
        #expect(report.deleted == 1_000)
        #expect(try reader.run("SELECT count(*) FROM t; COMMIT;") == "2000\n")
    }

    @Test(
        "an app that died in mid-write is recovered by the run",
        arguments: ["WAL", "DELETE", "TRUNCATE", "PERSIST"], plans)
    func deadApp(mode: String, plan: DeletePlan) throws {
        let app = try store(mode)
        let peer = try SQLiteShell(app.path)
        // A cache of one page spills the unfinished transaction into the file.
        try peer.run(
            "PRAGMA journal_mode = \(mode); PRAGMA cache_size = 1; BEGIN; UPDATE t SET at = \(old), text = hex(zeroblob(120));"
        )
        peer.kill()
        let report = app.outcome(plan: plan)
        #expect(report.outcome == .done, "\(report.failure?.description ?? "")")
        #expect(report.plan == plan)
        #expect(report.deleted == 1_000)
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try app.integers("SELECT count(*) FROM t WHERE at = \(fresh)") == [1_000])
    }

    @Test(
        "the write-ahead log stays short while others have the store open, and bounded while nobody has",
        arguments: plans)
    func boundedLog(plan: DeletePlan) throws {
        for (isAlone, limits) in [(false, 6 << 20...9 << 20), (true, 32 << 20...35 << 20)] {
            let app = try bigStore()
            let other = isAlone ? nil : try SQLiteShell(app.path)
            try other?.run("SELECT count(*) FROM t;")
            // It was at the limit, and more was written than that.
            let longest = try longestLog(of: app, plan)
            #expect(limits.contains(longest), "\(longest) bytes")
        }
    }

    private func longestLog(of app: TemporaryStore, _ plan: DeletePlan) throws -> Int {
        let worker = try worker(app, plan)
        defer { worker.close() }
        var longest = 0
        while true {
            let batch = try worker.deleteBatch(rows: 2_000)
            longest = max(longest, try size(app.path + "-wal"))
            if batch.isLast { return longest }
            try worker.maintainLog()
        }
    }

    @Test(
        "the worker knows whether another process has the store open", arguments: ["WAL", "DELETE"], plans)
    func company(mode: String, plan: DeletePlan) throws {
        let app = try store(mode)
        let worker = try worker(app, plan)
        defer { worker.close() }
        let isAlone = try worker.deleteBatch(rows: 10).isAlone
        // Outside of WAL mode there is nothing to know it by.
        #expect(isAlone == (mode == "WAL"))
        let other = try SQLiteShell(app.path)
        try other.run("SELECT count(*) FROM t;")
        #expect(try !worker.deleteBatch(rows: 10).isAlone)
        other.quit()
        #expect(try worker.deleteBatch(rows: 10).isAlone == isAlone)
    }

    @Test("to ask who else has the store open drops none of this process's locks", arguments: plans)
    func askingKeepsLocks(plan: DeletePlan) throws {
        let app = try store("WAL")
        let worker = try worker(app, plan)
        defer { worker.close() }
        for _ in 0..<3 { _ = try worker.deleteBatch(rows: 10) }
        // Whoever finds no lock there takes itself for the first, and makes the shared memory anew.
        let memory = try #require(FileFacts(at: app.path + "-shm"))
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        #expect(locks.split(separator: "\n").contains { $0.contains(":\(memory.inode) 128 128") })
    }

    @Test("a reader that pins the log stops the worker, and its end lets it go on", arguments: plans)
    func pinnedLog(plan: DeletePlan) throws {
        let app = try bigStore()
        let worker = try worker(app, plan)
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        try expectPinned(worker)
        #expect(try size(app.path + "-wal") < 16 << 20)
        try reader.run("COMMIT;")
        try worker.maintainLog()
        #expect(try worker.deleteBatch(rows: 2_000).deleted > 0)
    }

    @Test(
        "a reader under which a checkpoint completes pins the log as well, and its end lets it go on",
        arguments: plans)
    func pinnedAfterCheckpoint(plan: DeletePlan) throws {
        let app = try bigStore()
        let worker = try worker(app, plan)
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        while try size(app.path + "-wal") < 7 << 20 {
            try #require(try !worker.deleteBatch(rows: 2_000).isLast)
        }
        // All of the log can be checkpointed under this reader, and yet it cannot start anew.
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        try worker.maintainLog()
        try expectPinned(worker)
        #expect(try size(app.path + "-wal") < 16 << 20)
        try reader.run("COMMIT;")
        try worker.maintainLog()
        #expect(try worker.deleteBatch(rows: 2_000).deleted > 0)
    }

    @Test(
        "a complete log that readers made long goes on when the last of them has ended, though no app commits",
        arguments: plans)
    func longLogOfReaders(plan: DeletePlan) throws {
        let app = try bigStore()
        let worker = try worker(app, plan)
        defer { worker.close() }
        let readers = [try SQLiteShell(app.path), try SQLiteShell(app.path)]
        // One reads whenever a batch commits, and from the log's end: all is written back, and nothing starts anew.
        try readers[0].run("BEGIN; SELECT count(*) FROM t LIMIT 1;")
        var number = 0
        while true {
            _ = try worker.deleteBatch(rows: 2_000)
            number += 1
            try readers[number % 2].run("BEGIN; SELECT 1 FROM t LIMIT 1;")
            try readers[(number + 1) % 2].run("COMMIT;")
            if try size(app.path + "-wal") >= WriteAheadLog.completeLimitBytes { break }
            try worker.maintainLog()
        }
        let error = #expect(throws: StoreError.self) { try worker.maintainLog() }
        #expect(error?.kind == .logPinned)
        try readers[number % 2].run("COMMIT;")

        try worker.maintainLog()
        let long = try size(app.path + "-wal")
        #expect(try worker.deleteBatch(rows: 2_000).deleted > 0)
        #expect(try size(app.path + "-wal") == long)
    }

    @Test(
        "a log that an app made long does not stop the worker: its next commit starts the log anew",
        arguments: plans)
    func longLogOfAnApp(plan: DeletePlan) throws {
        let app = try bigStore()
        let worker = try worker(app, plan)
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        _ = try worker.deleteBatch(rows: 100)
        try other.run(
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE big (x); INSERT INTO big VALUES (zeroblob(25000000));"
        )
        #expect(try size(app.path + "-wal") > 24 << 20)
        for _ in 0..<50 {
            _ = try worker.deleteBatch(rows: 2_000)
            try worker.maintainLog()
        }
        // A log is not cut while it is open: it was written again from its start.
        #expect(try size(app.path + "-wal") < 27 << 20)
    }

    @Test(
        "batches longer than the log may be do not stop the worker while the log starts anew for each",
        arguments: plans)
    func longBatches(plan: DeletePlan) throws {
        let app = try bigStore()
        let worker = try worker(app, plan)
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        try other.run("SELECT count(*) FROM t;")
        for rows in [60_000, 140_000, 60_000] {
            _ = try worker.deleteBatch(rows: rows)
            try worker.maintainLog()
        }
        #expect(try size(app.path + "-wal") > WriteAheadLog.completeLimitBytes)
    }

    @Test(
        "nor does an app's commit of such a length that starts the log anew after a checkpoint",
        arguments: plans)
    func longCommitOfAnApp(plan: DeletePlan) throws {
        let app = try bigStore()
        let worker = try worker(app, plan)
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        try other.run("PRAGMA wal_autocheckpoint = 0; CREATE TABLE big (x);")
        for _ in 0..<2 {
            _ = try worker.deleteBatch(rows: 60_000)
            try worker.maintainLog()
        }
        try other.run("INSERT INTO big VALUES (zeroblob(20000000));")
        for _ in 0..<3 {
            _ = try worker.deleteBatch(rows: 2_000)
            try worker.maintainLog()
        }
        #expect(try size(app.path + "-wal") > WriteAheadLog.completeLimitBytes)
    }

    @Test(
        "an app that turns to WAL mode in mid-run finds its log kept short, too",
        arguments: plans)
    func turnsToWAL(plan: DeletePlan) throws {
        let app = try bigStore()
        try app.execute("PRAGMA journal_mode = DELETE")
        let worker = try worker(app, plan)
        defer { worker.close() }
        _ = try worker.deleteBatch(rows: 100)
        let other = try SQLiteShell(app.path)
        #expect(try other.run("PRAGMA journal_mode = WAL; SELECT count(*) > 0 FROM t;") == "wal\n1\n")
        while true {
            let batch = try worker.deleteBatch(rows: 2_000)
            if batch.isLast { break }
            try worker.maintainLog()
        }
        let length = try size(app.path + "-wal")
        #expect((6 << 20...9 << 20).contains(length), "\(length) bytes")
    }

    private func expectPinned(_ worker: any WorkerContext) throws {
        let error = #expect(throws: StoreError.self) {
            while try !worker.deleteBatch(rows: 2_000).isLast { try worker.maintainLog() }
        }
        #expect(error?.kind == .logPinned)
    }

    /// 60 MB, with something on every page that stays, so that every page is written.
    private func bigStore() throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            INSERT INTO t SELECT i, iif(i % 10, \(old), \(fresh)), hex(zeroblob(100)) FROM n;
            """)
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
