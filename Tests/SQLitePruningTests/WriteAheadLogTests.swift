import Foundation
import Pruning
import Retention
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// How long the write-ahead log becomes, beside apps that keep it short, make it long, or read from it.
@Suite(.enabled(if: SQLiteShell.isInstalled, "the sqlite3 program is not installed"))
struct WriteAheadLogTests {
    private static let accessPaths = AccessPath.allCases

    private func worker(_ app: TemporaryStore, _ accessPath: AccessPath = .walk) throws -> SQLiteWorker {
        let worker = try SQLiteWorker(
            path: app.path, control: freeControl(), lockTime: LockTime(.seconds(60)),
            monotonic: systemMonotonic)
        #expect(
            try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath).accessPath
                == accessPath)
        return worker
    }

    @Test(
        "the write-ahead log stays short while others have the store open, and bounded while nobody has",
        arguments: accessPaths)
    func boundedLog(accessPath: AccessPath) throws {
        for (isAlone, limits) in [(false, 6 << 20...9 << 20), (true, 32 << 20...35 << 20)] {
            let app = try bigStore()
            let other = isAlone ? nil : try SQLiteShell(app.path)
            try other?.run("SELECT count(*) FROM t;")
            // It was at the limit, and more was written than that.
            let longest = try longestLog(of: app, accessPath)
            #expect(limits.contains(longest), "\(longest) bytes")
        }
    }

    private func longestLog(of app: TemporaryStore, _ accessPath: AccessPath) throws -> Int {
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        var longest = 0
        while true {
            let batch = try worker.deleteBatch(rows: 2_000)
            longest = max(longest, try size(app.path + "-wal"))
            if batch.isLast { return longest }
            try worker.maintain()
        }
    }

    @Test("where an app checkpoints by itself, the worker does before it", arguments: accessPaths)
    func beforeTheApp(accessPath: AccessPath) throws {
        let app = try bigStore()
        let other = try SQLiteShell(app.path)
        try other.run("CREATE TABLE app (number INTEGER);")
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let trace = StatementTrace()
        trace.follow(worker.connection.database)

        var lengths: [Int] = []
        for number in 1...40 {
            #expect(try worker.deleteBatch(rows: 5_000).deleted > 0)
            try worker.maintain()
            lengths.append(try #require(LogIndex(of: worker.connection.database)).frames)
            try other.run("INSERT INTO app VALUES (\(number));")
        }
        // SQLite's own number of pages, at which a commit checkpoints: reached once, and never again.
        let reached = try #require(lengths.firstIndex { $0 >= 999 })
        #expect(lengths.dropFirst(reached + 1).allSatisfy { $0 < 999 })
        #expect(lengths.dropFirst(reached + 1).contains { $0 >= WriteAheadLog.pagesBeforeOthers })
        #expect(trace.statements.contains { $0.contains("checkpoint") })
    }

    @Test("where an app leaves a long log as it is, the worker checkpoints before it is much longer")
    func insteadOfTheApp() throws {
        let app = try bigStore()
        let other = try SQLiteShell(app.path)
        try other.run("PRAGMA wal_autocheckpoint = 0; SELECT count(*) > 0 FROM t;")
        let worker = try worker(app)
        defer { worker.close() }
        let database = worker.connection.database
        for _ in 0..<3 {
            while true {
                _ = try worker.deleteBatch(rows: 5_000)
                let log = try #require(LogIndex(of: database))
                if log.frames * 4_096 >= WriteAheadLog.checkpointBytes { break }
                try worker.maintain()
                #expect(LogIndex(of: database)?.backfilled == 0)
            }
            try worker.maintain()
            #expect(LogIndex(of: database)?.isBackfilled == true)
        }
    }

    @Test("a reader that pins the log stops the worker, and its end lets it go on", arguments: accessPaths)
    func pinnedLog(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        try expectPinned(worker)
        #expect(try size(app.path + "-wal") < 16 << 20)
        try reader.run("COMMIT;")
        try worker.maintain()
        #expect(try worker.deleteBatch(rows: 2_000).deleted > 0)
    }

    @Test(
        "a reader under which a checkpoint completes pins the log as well, and its end lets it go on",
        arguments: accessPaths)
    func pinnedAfterCheckpoint(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        while try size(app.path + "-wal") < 7 << 20 {
            try #require(try !worker.deleteBatch(rows: 2_000).isLast)
        }
        // All of the log can be checkpointed under this reader, and yet it cannot start anew.
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        try worker.maintain()
        try expectPinned(worker)
        #expect(try size(app.path + "-wal") < 16 << 20)
        try reader.run("COMMIT;")
        try worker.maintain()
        #expect(try worker.deleteBatch(rows: 2_000).deleted > 0)
    }

    @Test(
        "a complete log that readers made long goes on when the last of them has ended, though no app commits",
        arguments: accessPaths)
    func longLogOfReaders(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
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
            try worker.maintain()
        }
        let error = #expect(throws: StoreError.self) { try worker.maintain() }
        #expect(error?.kind == .pinned)
        try readers[number % 2].run("COMMIT;")

        try worker.maintain()
        let long = try size(app.path + "-wal")
        #expect(try worker.deleteBatch(rows: 2_000).deleted > 0)
        #expect(try size(app.path + "-wal") == long)
    }

    @Test(
        "a log that an app made long does not stop the worker: its next commit starts the log anew",
        arguments: accessPaths)
    func longLogOfAnApp(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        _ = try worker.deleteBatch(rows: 100)
        try other.run(
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE big (x); INSERT INTO big VALUES (zeroblob(25000000));"
        )
        #expect(try size(app.path + "-wal") > 24 << 20)
        for _ in 0..<50 {
            _ = try worker.deleteBatch(rows: 2_000)
            try worker.maintain()
        }
        // A log is not cut while it is open: it was written again from its start.
        #expect(try size(app.path + "-wal") < 27 << 20)
    }

    @Test(
        "batches longer than the log may be do not stop the worker while the log starts anew for each",
        arguments: accessPaths)
    func longBatches(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        try other.run("SELECT count(*) FROM t;")
        for rows in [60_000, 140_000, 60_000] {
            _ = try worker.deleteBatch(rows: rows)
            try worker.maintain()
        }
        #expect(try size(app.path + "-wal") > WriteAheadLog.completeLimitBytes)
    }

    @Test(
        "nor does an app's commit of such a length that starts the log anew after a checkpoint",
        arguments: accessPaths)
    func longCommitOfAnApp(accessPath: AccessPath) throws {
        let app = try bigStore()
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        try other.run("PRAGMA wal_autocheckpoint = 0; CREATE TABLE big (x);")
        for _ in 0..<2 {
            _ = try worker.deleteBatch(rows: 60_000)
            try worker.maintain()
        }
        try other.run("INSERT INTO big VALUES (zeroblob(20000000));")
        for _ in 0..<3 {
            _ = try worker.deleteBatch(rows: 2_000)
            try worker.maintain()
        }
        #expect(try size(app.path + "-wal") > WriteAheadLog.completeLimitBytes)
    }

    @Test(
        "an app that turns to WAL mode in mid-run finds its log kept short, too",
        arguments: accessPaths)
    func turnsToWAL(accessPath: AccessPath) throws {
        let app = try bigStore()
        try app.execute("PRAGMA journal_mode = DELETE")
        let worker = try worker(app, accessPath)
        defer { worker.close() }
        _ = try worker.deleteBatch(rows: 100)
        let other = try SQLiteShell(app.path)
        #expect(try other.run("PRAGMA journal_mode = WAL; SELECT count(*) > 0 FROM t;") == "wal\n1\n")
        while true {
            let batch = try worker.deleteBatch(rows: 2_000)
            if batch.isLast { break }
            try worker.maintain()
        }
        let length = try size(app.path + "-wal")
        #expect((6 << 20...9 << 20).contains(length), "\(length) bytes")
    }

    private func expectPinned(_ worker: any WorkerContext) throws {
        let error = #expect(throws: StoreError.self) {
            while try !worker.deleteBatch(rows: 2_000).isLast { try worker.maintain() }
        }
        #expect(error?.kind == .pinned)
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
