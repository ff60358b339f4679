import Foundation
import GRDB
import Pruning
import Retention
import struct SQLite.FileFacts
import TestSupport
import Testing

@testable import SQLitePruning

/// What the file of a store may be, and what a run leaves of it.
struct FileTests {
    private static let content = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
        INSERT INTO t VALUES (1, \(old)), (2, \(fresh));
        """

    private func expectRefused(_ path: String, _ words: String, exists: Bool = true) {
        let store = SQLiteStore.test(at: path)
        #expect(store.exists() == exists)
        for attempt in [
            { _ = try store.openView(freeControl()) }, { _ = try store.openWorker(freeControl()) },
            { try store.checkAccess() }, { _ = try store.claim(freeControl()) },
        ] as [() throws -> Void] {
            let error = #expect(throws: StoreError.self) { try attempt() }
            #expect(error?.kind == .inputOutput)
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        }
    }

    @Test(
        "a path may have any name",
        arguments: [
            "with space", "what?", "what?mode=ro", "a#b", "100%", "%41", "a&b", "a;b", "ünïcödé 💾",
            "file:x?nolock=1",
            ":memory:", "-dash", "it's \"quoted\"", "new\nline", "back\\slash",
            "x.sqlite?immutable=1&mode=memory",
        ])
    func anyName(name: String) throws {
        let app = try TemporaryStore(Self.content, name: name)
        #expect(app.outcome(dryRun: true).expired == 1)
        let report = app.outcome()
        #expect(report.outcome == .done, "\(report.failure?.description ?? "")")
        #expect(report.deleted == 1)
        #expect(try app.integers("SELECT id FROM t") == [2])
        #expect(try app.directory.entries == [name])
    }

    @Test("a store that does not exist is skipped, which says so, and is not created")
    func missing() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none.sqlite"
        for dryRun in [true, false] {
            let report = PruneRun.report([.old()], on: [SQLiteStore.test(at: path)], dryRun: dryRun).rules[0]
            #expect(report.outcome == .skipped)
            #expect(report.failure?.kind == .fault(.missing))
            #expect(report.expired == nil)
        }
        expectRefused(path, "No such file", exists: false)
        #expect(try directory.entries == [])
    }

    @Test("a store that cannot be looked at is not taken for one that does not exist")
    func unreachable() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/loop", withDestinationPath: "loop")
        let path = directory.path + "/loop/app.sqlite"
        expectRefused(path, "symbolic links")
        #expect(PruneRun.report([.old()], on: [SQLiteStore.test(at: path)]).outcome == .failed)
    }

    @Test("a file that is deleted before the worker opens it is not created")
    func vanished() throws {
        let app = try TemporaryStore(Self.content)
        let error = #expect(throws: StoreError.self) {
            try FileManager.default.removeItem(atPath: app.path)
            _ = try Connection(.write, path: app.path, control: freeControl())
        }
        #expect(error?.kind == .inputOutput)
        #expect(try app.directory.entries == [])
    }

    @Test("a symbolic link is refused, whether it leads somewhere or not")
    func symbolicLink() throws {
        let app = try TemporaryStore(Self.content)
        for target in [app.path, "nowhere"] {
            let link = app.directory.path + "/link-\(target.count)"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            expectRefused(link, "symbolic link")
        }
    }

    @Test("a directory, a fifo and a device are refused at once")
    func notRegular() throws {
        let directory = try TemporaryDirectory()
        let (inner, fifo) = (directory.path + "/inner", directory.path + "/fifo")
        try #require(mkdir(inner, 0o700) == 0 && mkfifo(fifo, 0o600) == 0)
        for path in [inner, fifo, "/dev/null"] { expectRefused(path, "not a regular file") }
    }

    @Test("a file with two names is refused: the log of one is not the log of the other")
    func hardLink() throws {
        let app = try TemporaryStore(Self.content)
        try FileManager.default.linkItem(atPath: app.path, toPath: app.directory.path + "/second")
        expectRefused(app.path, "2 names")
    }

    @Test(
        "what is write-protected is refused, by its name",
        arguments: ["", "directory", "-wal", "-shm", "-journal"])
    func writeProtected(part: String) throws {
        let app = try TemporaryStore(Self.content)
        let path = part == "directory" ? app.directory.path : app.path + part
        if !FileManager.default.fileExists(atPath: path) {
            #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
        }
        let mode: mode_t = part == "directory" ? 0o555 : 0o444
        try #require(chmod(path, mode) == 0)
        defer { chmod(path, 0o755) }
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.failure?.kind == .fault(.inputOutput))
        let name = part == "directory" ? "its directory" : part.isEmpty ? "the file" : "its \(part) file"
        #expect(report.failure?.cause == "\(name) is write-protected")
        #expect(report.failure?.hint != nil)
        // A look needs no right to write.
        if part.isEmpty || part == "directory" { #expect(app.outcome(dryRun: true).expired == 1) }
    }

    @Test(
        "an empty file beside the store that cannot be written yet is in the making, and the store busy",
        arguments: ["-wal", "-shm", "-journal"])
    func inTheMaking(companion: String) throws {
        let app = try TemporaryStore(Self.content)
        let path = app.path + companion
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        try #require(chmod(path, 0o440) == 0)
        let error = #expect(throws: StoreError.self) { try StoreFile(path: app.path).checkWritable() }
        #expect(error?.kind == .busy)
        #expect(error?.hint != nil)
    }

    @Test(
        "a run leaves schema, journal mode, vacuum mode, page size and identity of a store as they are",
        arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"], [0, 1, 2])
    func unchanged(mode: String, vacuum: Int) throws {
        let app = try TemporaryStore(
            """
            PRAGMA page_size = 1024; PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(mode);
            PRAGMA user_version = 7; PRAGMA application_id = 11;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, iif(i % 2, \(old), \(fresh)) FROM n;
            """)
        let facts = """
            SELECT group_concat(sql) FROM sqlite_schema UNION ALL SELECT journal_mode FROM pragma_journal_mode
            UNION ALL SELECT auto_vacuum FROM pragma_auto_vacuum UNION ALL SELECT page_size FROM pragma_page_size
            UNION ALL SELECT user_version FROM pragma_user_version
            UNION ALL SELECT application_id FROM pragma_application_id
            UNION ALL SELECT schema_version FROM pragma_schema_version
            """
        let before = try app.texts(facts)
        let status = try #require(FileFacts(at: app.path))
        #expect(app.outcome().deleted == 2_500)
        #expect(try app.texts(facts) == before)
        let after = try #require(FileFacts(at: app.path))
        #expect(
            (after.mode, after.owner, after.group, after.identity) == (
                status.mode, status.owner, status.group, status.identity
            ))
        // The app's own -journal of the modes that keep one is the app's to make again.
        #expect(try app.directory.entries.filter { !$0.hasSuffix("-journal") } == ["app.sqlite"])
    }
}
