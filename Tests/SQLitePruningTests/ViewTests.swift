import Foundation
import Pruning
import Retention
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// The view context: it reads, and leaves no trace.
struct ViewTests {
    private static let content = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
        INSERT INTO t VALUES (1, \(old)), (2, \(fresh)), (3, NULL);
        """

    /// Name, size and time of change of everything in a directory.
    private func listing(_ app: TemporaryStore) throws -> [String] {
        try app.directory.entries.map { name in
            var status = stat()
            try #require(lstat(app.directory.path + "/" + name, &status) == 0)
            // The index of the log is memory that is shared through a file; reading writes its locks' counters.
            let time =
                name.hasSuffix("-shm") ? 0 : status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
            return "\(name) \(status.st_size) \(time)"
        }
    }

    private func look(at app: TemporaryStore) throws {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let task = PruneTask(.old(), start: runStart, in: .gmt)
        try view.validate(.old())
        #expect(try view.census(of: task) == Census(expired: 1, implausible: 1))
        #expect(try view.rowCount(of: PruneTask(.old(), start: runStart, in: .gmt)) == 3)
        try view.verifyIntegrity()
    }

    @Test(
        "a look at a store that nobody has open leaves nothing and changes nothing",
        arguments: ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL"])
    func quiet(mode: String) throws {
        let app = try TemporaryStore(
            "PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF;" + Self.content)
        let before = try listing(app)
        try look(at: app)
        #expect(app.outcome(dryRun: true).expired == 1)
        #expect(try listing(app) == before)
    }

    @Test("the size and what is free of it are told, for whatever mode the store was made", arguments: 0...2)
    func size(autoVacuum: Int) throws {
        let app = try TemporaryStore(
            """
            PRAGMA page_size = 1024; PRAGMA auto_vacuum = \(autoVacuum); CREATE TABLE t (id INTEGER PRIMARY KEY, at);
            WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
            INSERT INTO t SELECT i, zeroblob(1000) FROM n;
            """)
        try app.execute("DELETE FROM t WHERE id > 50")
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let size = try view.size()
        var status = stat()
        try #require(lstat(app.path, &status) == 0)
        #expect(size.unitBytes == 1_024 && size.bytes == Int64(status.st_size))
        #expect(autoVacuum == 1 ? size.freeBytes == 0 : size.freeBytes > 40 * 1_024)
    }

    @Test(
        "a look at a store that its app has open sees what the app committed",
        .enabled(if: SQLiteShell.isInstalled), arguments: ["DELETE", "WAL"])
    func open(mode: String) throws {
        let app = try TemporaryStore(
            "PRAGMA journal_mode = \(mode);" + Self.content + "DELETE FROM t WHERE id = 3;")
        let peer = try SQLiteShell(app.path)
        try peer.run("INSERT INTO t VALUES (3, 'text');")
        let before = try listing(app)
        try look(at: app)
        #expect(try listing(app) == before)
    }

    @Test(
        "a look at what a killed app left in its log sees it, and leaves it to the app",
        .enabled(if: SQLiteShell.isInstalled))
    func leftLog() throws {
        let app = try TemporaryStore(
            "PRAGMA journal_mode = WAL;" + Self.content + "DELETE FROM t WHERE id = 3;")
        let peer = try SQLiteShell(app.path)
        try peer.run("INSERT INTO t VALUES (3, 'text');")
        peer.kill()
        let before = try listing(app)
        try look(at: app)
        #expect(try listing(app) == before)
    }

    @Test(
        "a look at a log without its index leaves nothing but the index",
        .enabled(if: SQLiteShell.isInstalled))
    func logWithoutIndex() throws {
        let app = try TemporaryStore(
            "PRAGMA journal_mode = WAL;" + Self.content + "DELETE FROM t WHERE id = 3;")
        let peer = try SQLiteShell(app.path)
        try peer.run("INSERT INTO t VALUES (3, 'text');")
        peer.kill()
        try FileManager.default.removeItem(atPath: app.path + "-shm")
        let before = try listing(app)
        try look(at: app)
        // SQLite has to rebuild the index, which is a file that any process of the app's can use.
        #expect(try listing(app).filter { !$0.contains("-shm ") } == before)
        #expect(try app.integers("SELECT count(*) FROM t") == [3])
    }

    @Test(
        "numbers that became text are no times, and are counted as such, with an index and without",
        arguments: ["TEXT", "varchar(20)", "CHARACTER(10)", "clob"], ["", "CREATE INDEX t_at ON t (at);"])
    func text(type: String, index: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at \(type)); \(index)
            INSERT INTO t (at) VALUES (\(old)), (\(fresh)), ('x'), (1), (x'31'), (NULL);
            """)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let census = try view.census(of: PruneTask(.old(), start: runStart, in: .gmt))
        #expect(census == Census(expired: 0, implausible: 6))
    }

    @Test("a fraction just before the first time is counted once, where all that is past is kept")
    func fraction() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX t_at ON t (at);
            INSERT INTO t (at) VALUES (946684799.5), (\(old)), (\(fresh));
            """)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let rule = RetentionRule(
            name: "last", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            time: TimeFormat(), keepLast: 10, holdLimits: .noneAtAll)
        let census = try view.census(of: PruneTask(rule, start: runStart, in: .gmt))
        #expect(census == Census(expired: 0, implausible: 1))
    }

    @Test("a view cannot write, whatever it is asked")
    func cannotWrite() throws {
        let app = try TemporaryStore(Self.content)
        let before = try listing(app)
        _ = app.prune(.old(), .old("missing", name: "b"), .old("t", "missing", name: "c"), dryRun: true)
        #expect(try listing(app) == before)
    }

    @Test("a stop request ends a long count")
    func stop() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t SELECT i, i FROM n;
            """)
        let control = freeControl()
        let view = try app.store.openView(control)
        defer { view.close() }
        control.requestStop("enough")
        let error = #expect(throws: StoreError.self) {
            try view.census(of: PruneTask(.old(), start: runStart, in: .gmt))
        }
        #expect(error?.kind == .interrupted)
    }

    @Test(
        "where a batch keeps the app's readers out, too, that is said, whether or not somebody has the store open",
        arguments: [("WAL", false), ("DELETE", true), ("TRUNCATE", true)], [true, false])
    func disturbance(mode: (name: String, disturbs: Bool), isOpen: Bool) throws {
        let app = try TemporaryStore("PRAGMA journal_mode = \(mode.name);" + Self.content)
        let peer = try isOpen ? Connection(.write, path: app.path, control: freeControl()) : nil
        defer { peer?.close() }
        _ = try peer?.database.rows("SELECT * FROM t")
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        #expect(try view.disturbance()?.contains("quiet = true") == (mode.disturbs ? true : nil))
    }

    @Test(
        "what is read without locks while the app writes is good enough for a count, and else is read with locks",
        .enabled(if: SQLiteShell.isInstalled))
    func disturbed() throws {
        let app = try TemporaryStore("PRAGMA journal_mode = WAL;" + Self.content)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let peer = try SQLiteShell(app.path)
        try peer.run("INSERT INTO t VALUES (4, \(old));")
        #expect(try view.rowCount(of: PruneTask(.old(), start: runStart, in: .gmt)) == 3)
        try view.verifyIntegrity()
        #expect(try view.rowCount(of: PruneTask(.old(), start: runStart, in: .gmt)) == 4)
        #expect(app.outcome(dryRun: true).expired == 2)
    }

    @Test(
        "a damaged store is called damaged, and nothing is deleted", arguments: [100, 4_096 + 8, 8_192 + 3])
    func damaged(offset: UInt64) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, \(old) FROM n;
            """)
        let file = try FileHandle(forUpdating: URL(filePath: app.path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 200))
        try file.close()
        let bytes = try Data(contentsOf: URL(filePath: app.path))
        let error = #expect(throws: StoreError.self) {
            let view = try app.store.openView(freeControl())
            defer { view.close() }
            try view.verifyIntegrity()
        }
        #expect(error?.kind == .damaged)
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.failure?.kind == .fault(.damaged))
        #expect(report.deleted == 0)
        #expect(try Data(contentsOf: URL(filePath: app.path)) == bytes)
    }

    @Test(
        "a file that is not a database is called damaged",
        arguments: ["not a database, but long enough to be asked " + String(repeating: "x", count: 1_000)])
    func notADatabase(content: String) throws {
        let app = try TemporaryStore("CREATE TABLE t (at);")
        try content.write(toFile: app.path, atomically: false, encoding: .utf8)
        #expect(app.outcome().failure?.kind == .fault(.damaged))
        #expect(try String(contentsOfFile: app.path, encoding: .utf8) == content)
    }
}
