import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// A store is left alone while its app has a file beside it locked. The app is another process, whose locks are
/// SQLite's own: those of fcntl(2).
@Suite(.enabled(if: SQLiteShell.isInstalled, "needs the sqlite3 program"))
struct AppLockTests {
    private let app: TemporaryStore
    private static let name = "app.sqlite.lock"
    private var lockPath: String { app.directory.path + "/" + Self.name }

    init() throws {
        app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO t SELECT i, \(old) FROM n;
            """)
    }

    /// Without the journal that the other program may have beside its lock.
    private func entries() throws -> [String] {
        try app.directory.entries.filter { $0 != Self.name + "-journal" }
    }

    private func lock() throws -> SQLiteShell {
        let holder = try SQLiteShell(lockPath)
        try holder.run("BEGIN EXCLUSIVE;")
        return holder
    }

    private func store(_ name: String = Self.name) -> SQLiteStore { app.store(gate: nil, lockFile: name) }

    private func report(_ name: String = Self.name, dryRun: Bool = false) -> RuleReport {
        PruneRun.report([.old()], on: [store(name)], dryRun: dryRun, patience: .zero).rules[0]
    }

    @Test("while the lock is held, the run is skipped and names the process; after it, the store is pruned")
    func held() throws {
        let holder = try lock()
        let skipped = report()
        #expect(skipped.outcome == .skipped && skipped.deleted == 0)
        #expect(skipped.failure?.kind == .fault(.busy))
        #expect(skipped.failure?.cause.hasSuffix(" (sqlite3) has locked \(Self.name)") == true)
        #expect(try entries() == ["app.sqlite", Self.name])
        holder.quit()
        #expect(report().deleted == 100)
    }

    @Test("a file that a killed app left has no lock and means nothing, and no file means nothing either")
    func stale() throws {
        try lock().kill()
        let before = try FileManager.default.attributesOfItem(atPath: lockPath)[.systemFileNumber] as? Int
        #expect(report().deleted == 100)
        let after = try FileManager.default.attributesOfItem(atPath: lockPath)[.systemFileNumber] as? Int
        #expect(before == after, "the file is the app's")
        unlink(lockPath)
        #expect(report().outcome == .done)
        #expect(try entries() == ["app.sqlite"])
    }

    @Test("an app that starts in mid-run is met before the next batch", arguments: [true, false])
    func midRun(isReplaced: Bool) throws {
        try lock().quit()
        let worker = try store().openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: .walk)
        #expect(try worker.deleteBatch(rows: 10).deleted == 10)
        if isReplaced { unlink(lockPath) }
        let holder = try lock()
        let error = #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 10) }
        #expect(error?.kind == .busy)
        #expect(throws: StoreError.self) { try worker.reclaim(units: 1, within: .seconds(1)) }
        #expect(throws: StoreError.self) { try worker.maintain() }
        #expect(throws: StoreError.self) { try worker.othersCommits() }
        holder.quit()
        #expect(try worker.deleteBatch(rows: 10).deleted == 10)
    }

    @Test("the app's lock stands while it is asked for, and keeps others out")
    func stands() throws {
        let holder = try lock()
        for _ in 0..<3 { _ = report() }
        let other = try SQLiteShell(lockPath)
        #expect(try other.run(".timeout 1\nBEGIN EXCLUSIVE;").contains("locked"))
        holder.quit()
    }

    @Test("a plan reads without locks, so it is made while the app works, but not while the app writes")
    func plan() throws {
        let holder = try lock()
        #expect(report(dryRun: true).expired == 100)
        let writer = try SQLiteShell(app.path)
        try writer.run(
            """
            PRAGMA cache_size = 1; BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
            INSERT INTO t SELECT i, i FROM n;
            """)
        #expect(report(dryRun: true).outcome == .skipped)
        writer.quit()
        holder.quit()
    }

    @Test(
        "with a write-ahead log, where a reader stands in nobody's way, a plan is made while the app writes")
    func planBesideLog() throws {
        let holder = try lock()
        let writer = try SQLiteShell(app.path)
        try writer.run(
            "PRAGMA journal_mode = WAL; BEGIN; DELETE FROM t WHERE id <= 10; COMMIT; BEGIN IMMEDIATE;")
        #expect(report(dryRun: true).expired == 90)
        #expect(report().outcome == .skipped)
        writer.quit()
        holder.quit()
    }

    @Test(
        "what stands in its place and is no plain file is an error",
        arguments: ["link", "pipe", "directory", "hard link"])
    func odd(kind: String) throws {
        switch kind {
        case "link": symlink("/etc/passwd", lockPath)
        case "pipe": mkfifo(lockPath, 0o600)
        case "directory": mkdir(lockPath, 0o700)
        default:
            try Data().write(to: URL(filePath: lockPath + "2"))
            link(lockPath + "2", lockPath)
        }
        let report = report()
        #expect(report.outcome == .failed && report.deleted == 0)
        #expect(report.failure?.cause == "it is not a regular file with one name")
    }

    @Test(
        "a file of SQLite's own, whose locks would be lost, cannot be named, nor one elsewhere",
        arguments: ["app.sqlite", "app.sqlite-wal", "app.sqlite-journal", "app.sqlite-pruned-lock", "../x"])
    func ownFile(name: String) {
        let report = report(name)
        #expect(report.outcome == .failed && report.deleted == 0)
        #expect(report.failure?.cause.contains("is not a file of its own") == true)
    }
}
