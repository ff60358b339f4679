import Foundation
import Pruning
import SQLitePruning
import TestSupport
import Testing

/// Free pages of real files, with another process at work on them.
@Suite(.enabled(if: SQLiteShell.isInstalled, "the sqlite3 program is not installed"))
struct ReclaimTests {
    /// 40 MB of rows with an index and overflow pages; every fourth row stays, and three quarters of the pages are free,
    /// all over the file.
    private func store(_ mode: String = "WAL", vacuum: Int = 2, rows: Int = 8_000) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(mode);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT, data BLOB);
            CREATE INDEX t_text ON t (text);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i * 7919 % 1000003, iif(i % 4, \(old), \(fresh)), hex(randomblob(40)),
                zeroblob(4900) FROM n;
            DELETE FROM t WHERE at = \(old);
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    private let content =
        "SELECT group_concat(id || at || text || length(data)) FROM (SELECT * FROM t ORDER BY id)"

    /// Steps until nothing is free; the results.
    private func reclaim(_ worker: any WorkerContext, pages: Int = 100) throws -> [ReclaimStep] {
        var steps: [ReclaimStep] = []
        while steps.last?.isLast != true {
            steps.append(try worker.reclaim(units: pages, within: .seconds(10)))
            try worker.maintain()
        }
        return steps
    }

    private func space(_ app: TemporaryStore) throws -> FreeSpace {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        return try #require(try view.freeSpace())
    }

    private func size(_ path: String) throws -> Int64 {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
    }

    @Test(
        "nothing moves into a page that is called free and is in use",
        arguments: ["WAL", "DELETE"], ["list", "count"])
    func damagedList(mode: String, place: String) throws {
        let app = try store(mode)
        let view = try app.store.openView(freeControl())
        try view.verifyFreeSpace()
        view.close()
        try damage(app, place)
        let damaged = try app.store.openView(freeControl())
        defer { damaged.close() }
        let error = #expect(throws: StoreError.self) { try damaged.verifyFreeSpace() }
        #expect(error?.kind == .damaged, "\(String(describing: error))")
    }

    /// Names the last page of the table among the free ones, or changes how many there are.
    private func damage(_ app: TemporaryStore, _ place: String) throws {
        let used = try app.integers("SELECT max(pageno) FROM dbstat WHERE name = 't'")[0]
        var bytes = try Data(contentsOf: URL(filePath: app.path))
        func put(_ value: Int, at place: Int) {
            for byte in 0..<4 { bytes[place + byte] = UInt8(value >> (24 - 8 * byte) & 0xFF) }
        }
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        if place == "list" {
            put(Int(used), at: (number(32) - 1) * 4096 + 8)
        } else {
            put(number(36) + 1, at: 36)
        }
        try bytes.write(to: URL(filePath: app.path))
    }

    @Test(
        "step by step the file becomes as small as its rows allow", arguments: ["WAL", "DELETE", "TRUNCATE"])
    func steps(mode: String) throws {
        let app = try store(mode)
        let (before, rows) = (try space(app), try app.texts(content))
        #expect(before.freeBytes > before.bytes / 2)
        let worker = try app.store.openWorker(freeControl())
        let steps = try reclaim(worker)
        try worker.finishReclaim()
        let after = try space(app)
        #expect(after.freeBytes == 0)
        #expect(steps.map(\.bytes).reduce(0, +) == before.bytes - after.bytes)
        // Pages that map others to their parents go with them.
        #expect(steps.allSatisfy { (0...103).contains($0.work.changed) && $0.work.lockTime > .zero })
        #expect(try size(app.path) == after.bytes)
        worker.close()
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try app.texts(content) == rows)
        #expect(try app.integers("PRAGMA auto_vacuum") == [2])
    }

    @Test("a step ends when its time is over, but not before its first page")
    func limit() throws {
        let app = try store(rows: 2_000)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let step = try worker.reclaim(units: 1_000_000, within: .zero)
        #expect((1...2).contains(step.work.changed))
        #expect(!step.isLast)
        #expect(try worker.reclaim(units: 1_000_000, within: .seconds(60)).isLast)
        #expect(try space(app).freeBytes == 0)
    }

    @Test("only of a file that was made for it is the free space known", arguments: [0, 1, 2])
    func mode(vacuum: Int) throws {
        let app = try store(vacuum: vacuum, rows: 100)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        #expect(try (view.freeSpace() != nil) == (vacuum == 2))
    }

    @Test("a file that was made for something else is left as it is", arguments: [0, 1])
    func otherMode(vacuum: Int) throws {
        let app = try store(vacuum: vacuum, rows: 1_000)
        let before = try size(app.path)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let step = try worker.reclaim(units: 100, within: .seconds(10))
        #expect(step.bytes == 0 && step.isLast)
        try worker.finishReclaim()
        #expect(try size(app.path) == before)
        #expect(try app.integers("PRAGMA auto_vacuum") == [Int64(vacuum)])
    }

    @Test("the write-ahead log stays bounded")
    func boundedLog() throws {
        let app = try store()
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let other = try SQLiteShell(app.path)
        try other.run("SELECT count(*) FROM t;")
        _ = try reclaim(worker)
        // A log is never cut while it is open: this is as long as it ever was.
        #expect(try (6 << 20...13 << 20).contains(size(app.path + "-wal")))
    }

    @Test("a reader that pins the log stops the worker, and its end lets it go on")
    func pinnedLog() throws {
        let app = try store()
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let error = #expect(throws: StoreError.self) { _ = try reclaim(worker) }
        #expect(error?.kind == .pinned)
        #expect(try size(app.path + "-wal") < 16 << 20)
        #expect(try reader.run("SELECT count(*) FROM t; COMMIT;") == "2000\n")
        try worker.maintain()
        _ = try reclaim(worker)
        try worker.finishReclaim()
        #expect(try space(app).freeBytes == 0)
    }

    @Test("while a reader needs the end of the file, the file is not cut, which is said; then it is")
    func pinnedEnd() throws {
        let app = try store(rows: 1_000)
        let before = try size(app.path)
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try reclaim(worker)
        let error = #expect(throws: StoreError.self) { try worker.finishReclaim() }
        #expect(error?.kind == .pinned)
        #expect(try size(app.path) == before)
        #expect(try reader.run("SELECT sum(length(data)) FROM t; COMMIT;") == "\(250 * 4_900)\n")
        try worker.finishReclaim()
        #expect(try size(app.path) < before / 2)
    }

    @Test(
        "a write lock that another holds makes a step busy after a short wait", arguments: ["WAL", "DELETE"])
    func writer(mode: String) throws {
        let app = try store(mode, rows: 1_000)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let peer = try SQLiteShell(app.path)
        #expect(try worker.reclaim(units: 10, within: .seconds(1)).bytes > 0)
        try peer.run("BEGIN IMMEDIATE; UPDATE t SET at = at + 1 WHERE id = (SELECT min(id) FROM t);")
        let begin = systemMonotonic()
        let error = #expect(throws: StoreError.self) {
            _ = try worker.reclaim(units: 10, within: .seconds(1))
        }
        #expect(error?.kind == .busy)
        #expect(systemMonotonic() - begin < .milliseconds(500))
        try peer.run("COMMIT;")
        let step = try worker.reclaim(units: 10, within: .seconds(1))
        #expect(step.bytes > 0)
        #expect(!step.work.isAlone)
    }

    @Test("a reader in rollback-journal mode: the step soon gives up, is undone, and comes again")
    func reader() throws {
        let app = try store("DELETE", rows: 1_000)
        let before = try space(app)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let reader = try SQLiteShell(app.path)
        try reader.run("BEGIN; SELECT count(*) FROM t;")
        let error = #expect(throws: StoreError.self) {
            _ = try worker.reclaim(units: 10, within: .seconds(1))
        }
        #expect(error?.kind == .busy)
        #expect(try space(app) == before)
        #expect(try reader.run("SELECT count(*) FROM t; COMMIT;") == "250\n")
        #expect(try worker.reclaim(units: 10, within: .seconds(1)).bytes > 0)
    }

    @Test("a file that the app has replaced meanwhile is not touched")
    func replaced() throws {
        let app = try store(rows: 100)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        try FileManager.default.moveItem(atPath: app.path, toPath: app.path + ".old")
        try FileManager.default.copyItem(atPath: app.path + ".old", toPath: app.path)
        let error = #expect(throws: StoreError.self) {
            _ = try worker.reclaim(units: 10, within: .seconds(1))
        }
        #expect(error?.kind == .replaced)
    }
}
