import Archive
import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// What others do to the archive's file, and what must not come of it.
struct ArchiveFileTests {
    private static let rows = 5_000

    private func store(limit: Int64 = 1_000_000_000) throws -> ArchivedStore {
        try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO t SELECT i, printf('%100d', i), \(old) FROM n;
            """, limit: limit)
    }

    @Test("an archive that is deleted in the middle of a run takes no more rows with it")
    func deleted() throws {
        let app = try store()
        let path = app.archivePath
        let report = app.prune(.archiving()) { event in
            if case .batchCommitted(let report, _) = event, report.batches == 1 { unlink(path) }
        }.rules[0]
        #expect(report.outcome == .failed && report.batches == 1, "\(report)")
        #expect(report.failure?.cause.contains("deleted or moved away") == true)
        #expect(try app.app.integers("SELECT count(*) FROM t") == [Int64(Self.rows) - report.deleted])
        #expect(app.prune(.archiving()).rules[0].deleted == Int64(Self.rows) - report.deleted)
        #expect(try app.archivedRows() == Int64(Self.rows) - report.deleted)
    }

    @Test(
        "no row goes into an archive to which somebody has added a trigger or a view",
        arguments: [
            ("trigger", "CREATE TRIGGER \"a \"\"b\" AFTER INSERT ON batch BEGIN DELETE FROM batch; END;"),
            ("view", "CREATE VIEW \"a \"\"b\" AS SELECT * FROM lease;"),
        ])
    func addition(type: String, statement: String) throws {
        let app = try store()
        _ = app.prune(.archiving())
        try app.app.execute("INSERT INTO t SELECT value, 'x', \(old) FROM json_each('[9001, 9002]')")
        let archive = try SQLiteShell(app.archivePath)
        _ = try archive.run(statement)
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
        #expect(report.failure?.cause.contains("the \(type) \"a \"\"b\" to it") == true, "\(report)")
        #expect(try app.app.integers("SELECT count(*) FROM t") == [2])
        _ = try archive.run("DROP \(type) \"a \"\"b\";")
        #expect(app.prune(.archiving()).rules[0].deleted == 2)
        #expect(try app.archivedRows() == Int64(Self.rows) + 2)
    }

    @Test("no row goes into an archive that has lost a column by which rows are put back")
    func lostColumn() throws {
        let app = try store()
        _ = app.prune(.archiving())
        try app.app.execute("INSERT INTO t SELECT value, 'x', \(old) FROM json_each('[9001, 9002]')")
        let archive = try SQLiteShell(app.archivePath)
        _ = try archive.run("ALTER TABLE lease RENAME COLUMN places TO placez;")
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
        #expect(report.failure?.cause == "its table lease has no column places", "\(report)")
    }

    @Test("an archive that is a link is refused, and nothing is deleted", arguments: [true, false])
    func link(isSymbolic: Bool) throws {
        let app = try store()
        let elsewhere = try TemporaryDirectory()
        let target = elsewhere.path + "/elsewhere.sqlite"
        if isSymbolic {
            #expect(symlink(target, app.archivePath) == 0)
        } else {
            try Data().write(to: URL(filePath: app.archivePath))
            #expect(Foundation.link(app.archivePath, app.archivePath + "-2") == 0)
        }
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .failed && report.deleted == 0)
        #expect(report.failure?.cause.contains(isSymbolic ? "symbolic link" : "2 names") == true)
        #expect(try app.app.integers("SELECT count(*) FROM t") == [Int64(Self.rows)])
        #expect(FileManager.default.fileExists(atPath: target) == false)
    }

    @Test(
        "the archive never gets larger than it may",
        arguments: Array(stride(from: Int64(60_000), to: 200_000, by: 9_000)))
    func limit(bytes: Int64) throws {
        let app = try store(limit: bytes)
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .held && report.deleted > 0)
        #expect(try app.archivedRows() == report.deleted)
        let archive = try SQLiteShell(app.archivePath)
        let size = try archive.run("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size;")
        #expect(try #require(Int64(size.trimmingCharacters(in: .whitespacesAndNewlines))) <= bytes)
    }

    @Test("rows are not looked for in an archive behind a link, whose log would not be found")
    func linkedWhole() throws {
        let app = try store()
        _ = app.prune(.archiving())
        let elsewhere = app.archivePath + "-elsewhere"
        #expect(rename(app.archivePath, elsewhere) == 0)
        #expect(symlink(elsewhere, app.archivePath) == 0)
        #expect(throws: StoreError.self) { try app.archive.parts(freeControl()) }
    }

    @Test(
        "an archive in a directory that another user owns or can write to is not used, and nothing is deleted",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: [(0, 0o770), (65_534, 0o750)] as [(uid_t, mode_t)])
    func plantedDirectory(owner: uid_t, mode: mode_t) throws {
        let app = try store()
        try #require(chown(app.archiveDirectory, owner, owner) == 0)
        try #require(chmod(app.archiveDirectory, mode) == 0)
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .failed && report.deleted == 0)
        #expect(report.failure?.hint?.contains("find out who put it there") == true)
        #expect(access(app.archivePath, F_OK) != 0)
        #expect(try app.app.integers("SELECT count(*) FROM t") == [Int64(Self.rows)])
    }

    @Test(
        "rows are not looked for in an archive whose directory another user has put there",
        .enabled(if: geteuid() == 0, "needs root"))
    func plantedWhole() throws {
        let app = try store()
        _ = app.prune(.archiving())
        try #require(chown(app.archiveDirectory, 65_534, 65_534) == 0)
        let error = #expect(throws: StoreError.self) { try app.archive.parts(freeControl()) }
        #expect(error?.kind == .inputOutput)
    }

    @Test("an archive that cannot be looked at is not taken for none")
    func hidden() throws {
        let directory = "/tmp/" + String(repeating: "x", count: 300)
        let archive = ArchiveFile(
            stateDirectory: directory, of: "s", limit: ArchiveLimit(ByteCount(1_000_000)))
        let error = #expect(throws: StoreError.self) { try archive.parts(freeControl()) }
        #expect(error?.kind == .inputOutput)
    }

    @Test("an archive that is write-protected stays as it is, and nothing is deleted")
    func writeProtected() throws {
        let app = try store()
        try app.app.execute("UPDATE t SET at = \(fresh) WHERE id > 100")
        #expect(app.prune(.archiving()).rules[0].deleted == 100)
        try app.app.execute("UPDATE t SET at = \(old)")
        #expect(chmod(app.archivePath, 0o440) == 0)
        let report = app.prune(.archiving()).rules[0]
        #expect(report.outcome == .failed && report.deleted == 0)
        #expect(report.failure?.cause.contains("write-protected") == true)
        #expect(try app.app.integers("SELECT count(*) FROM t") == [Int64(Self.rows) - 100])
        #expect(try app.archivedRows() == 100)
    }

    @Test("a file called as its rollback journal does not make an archive empty")
    func journal() throws {
        let app = try store()
        _ = app.prune(.archiving())
        #expect(try app.restore().map(\.restored) == [Int64(Self.rows)])
        try Data().write(to: URL(filePath: app.archivePath + "-journal"))
        #expect(try app.archive.parts(freeControl()).count == 1)
        #expect(app.prune(.old()).rules[0].expired == 0)
        #expect(try app.app.integers("SELECT count(*) FROM t") == [Int64(Self.rows)])
    }
}
