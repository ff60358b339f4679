import CSQLite
import Foundation
import Pruning
import Retention
import SQLite
import TestSupport
import Testing

@testable import Archive
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
            INSERT INTO other VALUES (1);
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

    @Test(
        "what is too large for the archive, or a lock that is refused, is not taken for a fault of the archive",
        arguments: [(SQLITE_TOOBIG, "archive = false"), (SQLITE_PROTOCOL, "refuses locks")])
    func isWhole(code: CInt, hint: String) throws {
        let app = try ArchivedStore("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);")
        let error = #expect(throws: StoreError.self) {
            try app.archive.place.naming { () throws(StoreError) in
                try SQLiteFailure(operation: "archive rows", place: app.archivePath).translating {
                    throw DatabaseError(code, of: nil)
                }
            }
        }
        #expect(error?.hint?.contains(hint) == true)
        #expect(error?.hint?.contains("move it away") == false)
    }

    @Test(
        "a batch that finds the store busy takes nothing of the batch before it out of the archive",
        arguments: AccessPath.allCases)
    func busyNextBatch(accessPath: AccessPath) throws {
        let app = try ArchivedStore(Self.fiveRows)
        let worker = try app.store.openWorker(freeControl())
        #expect(try worker.begin(try task(), accessPath: accessPath).accessPath == accessPath)
        #expect(try worker.deleteBatch(rows: 2).deleted == 2)
        let other = try SQLiteShell(app.app.path)
        try other.run("BEGIN IMMEDIATE;")
        #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 2) }
        #expect(try app.archivedRows() == 4)
        other.quit()
        #expect(try worker.deleteBatch(rows: 10).deleted == 3)
        worker.close()
        #expect(try app.archivedRows() == 5)
    }

    @Test(
        "rows archived for a batch that never came leave the archive, those of the batch before stay",
        arguments: AccessPath.allCases)
    func givenUp(accessPath: AccessPath) throws {
        let app = try ArchivedStore(Self.fiveRows)
        let worker = try app.store.openWorker(freeControl())
        #expect(try worker.begin(try task(), accessPath: accessPath).accessPath == accessPath)
        #expect(try worker.deleteBatch(rows: 2).deleted == 2)
        let other = try SQLiteShell(app.app.path)
        try other.run("BEGIN IMMEDIATE;")
        #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 2) }
        worker.close()
        #expect(try app.archivedRows() == 2)
        other.quit()
        #expect(try app.restore().map(\.restored) == [2])
    }

    @Test("beside an app the archive waits for its disk before anybody waits for the store")
    func beforeTheLock() throws {
        let (app, reader) = try besideAnApp()
        let archive = WatchedArchive(
            app.archive, then: reader, runs: "BEGIN IMMEDIATE; ROLLBACK;")
        let worker = try self.worker(app, archive)
        #expect(try worker.deleteBatch(rows: 10).deleted == 5)
        worker.close()
        #expect(archive.kept?.rows == 5 && archive.kept?.printed == "" && archive.times == 1)
        #expect(try app.restore().map(\.restored) == [5])
    }

    @Test("a row that the app changes while it is archived is archived as it was deleted")
    func changedMeanwhile() throws {
        let (app, reader) = try besideAnApp()
        let archive = WatchedArchive(
            app.archive, then: reader, runs: "UPDATE t SET note = 'new' WHERE id = 3;")
        let worker = try self.worker(app, archive)
        #expect(try worker.deleteBatch(rows: 10).deleted == 5)
        worker.close()
        #expect(archive.kept?.printed == "" && archive.times == 2)
        #expect(try app.archivedRows() == 5)
        #expect(try app.restore().map(\.restored) == [5])
        #expect(try reader.run("SELECT id, note FROM t WHERE note IS NOT NULL;") == "3|new\n")
    }

    @Test("a row that the app refreshes while it is archived stays in the store, and not in the archive")
    func refreshedMeanwhile() throws {
        let (app, reader) = try besideAnApp()
        let fresh = Int64(runStart.timeIntervalSince1970)
        let archive = WatchedArchive(
            app.archive, then: reader, runs: "UPDATE t SET at = \(fresh) WHERE id = 3;")
        let worker = try self.worker(app, archive)
        #expect(try worker.deleteBatch(rows: 10).deleted == 4)
        worker.close()
        #expect(archive.kept?.printed == "" && archive.times == 2)
        #expect(try app.archivedRows() == 4)
        #expect(try reader.run("SELECT id FROM t;") == "3\n")
    }

    @Test("no row goes when the archive is moved away after it was archived")
    func movedMeanwhile() throws {
        let (app, reader) = try besideAnApp()
        let archive = WatchedArchive(
            app.archive, then: reader, runs: ".shell mv \(app.archivePath) \(app.archivePath).moved")
        let worker = try self.worker(app, archive)
        #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 10) }
        worker.close()
        #expect(archive.kept?.printed == "")
        #expect(try reader.run("SELECT count(*) FROM t;") == "5\n")
    }

    private static let fiveRows = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, note TEXT);
        CREATE INDEX t_at ON t (at);
        INSERT INTO t SELECT value, \(old), NULL FROM json_each('[1, 2, 3, 4, 5]');
        """

    /// A store that another process has open.
    private func besideAnApp() throws -> (ArchivedStore, SQLiteShell) {
        let store = try ArchivedStore("PRAGMA journal_mode = WAL;" + Self.fiveRows)
        let app = try SQLiteShell(store.app.path)
        try app.run("SELECT count(*) FROM t;")
        return (store, app)
    }

    /// The worker of `store` with another archive, about to delete all rows.
    private func worker(_ store: ArchivedStore, _ archive: any RowArchive) throws -> SQLiteWorker {
        let worker = try SQLiteWorker(
            path: store.app.path, control: freeControl(), archive: StoreArchive(archive: archive, store: "s"),
            monotonic: systemMonotonic)
        _ = try worker.begin(try task(), accessPath: .walk)
        return worker
    }

    private func task() throws -> PruneTask {
        var task = PruneTask(.archiving(), start: runStart, in: .gmt)
        var generator = SystemRandomNumberGenerator()
        task.runID = RunID(start: runStart, using: &generator)
        return task
    }
}

/// An archive beside which the app does something once, right after rows were kept.
private final class WatchedArchive: RowArchive, @unchecked Sendable {  // used by the test's thread only
    private let archive: ArchiveFile
    private let app: SQLiteShell
    private let statements: String
    /// How many rows were kept then, and what the app's statements printed: an error, if they could not run.
    private(set) var kept: (rows: Int64, printed: String)?
    /// How often rows were kept.
    private(set) var times = 0

    init(_ archive: ArchiveFile, then app: SQLiteShell, runs statements: String) {
        (self.archive, self.app, self.statements) = (archive, app, statements)
    }

    func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter {
        Writer(writer: try archive.openWriter(control), archive: self)
    }

    func leases(of table: String, in store: Name, at date: Date) throws(StoreError) -> Leases {
        try archive.leases(of: table, in: store, at: date)
    }

    func openIdentities(
        of source: IdentitySource, _ control: RunControl
    ) throws(StoreError) -> (any ArchivedIdentities)? { nil }

    func batches(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> [(id: Int64, rows: Int64)] { try archive.batches(of: part, control) }

    func batch(
        _ id: Int64, of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> ArchivedBatch? { try archive.batch(id, of: part, control) }

    func openReturn(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> any ArchiveReturn {
        try archive.openReturn(of: part, control)
    }

    private func haveKept(_ rows: ArchivedRows) {
        times += 1
        guard kept == nil else { return }
        kept = (rows.count, (try? app.run(statements)) ?? "ended")
    }

    private struct Writer: ArchiveWriter {
        let writer: any ArchiveWriter
        let archive: WatchedArchive

        func archive(_ rows: ArchivedRows, of task: PruneTask) throws(StoreError) {
            try writer.archive(rows, of: task)
            archive.haveKept(rows)
        }

        func checkPlace() throws(StoreError) { try writer.checkPlace() }
        func takeBack() throws(StoreError) { try writer.takeBack() }
        func noteDeleted() throws(StoreError) { try writer.noteDeleted() }
        func maintain() throws(StoreError) { try writer.maintain() }
        func close() { writer.close() }
    }
}
