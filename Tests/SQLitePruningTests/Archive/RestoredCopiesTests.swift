import Archive
import Foundation
import Pruning
import TestSupport
import Testing

@testable import SQLitePruning

/// Rows that nothing tells apart: as many come back as were archived, whatever the app has of them by now.
struct RestoredCopiesTests {
    private static let tables = [
        "t (x, at INTEGER)", "t (id TEXT PRIMARY KEY, x, at INTEGER)",
        "t (id TEXT, x, at INTEGER, PRIMARY KEY (id, x))", "t (x UNIQUE, y, at INTEGER)",
    ]

    /// Five rows that are the same, of which a key, if there is one, is NULL.
    private static func five(_ x: String) -> String {
        "INSERT INTO t (\(x.isEmpty ? "at" : "x, at")) SELECT \(x.isEmpty ? "" : x + ", ")\(old) FROM json_each('[1, 2, 3, 4, 5]')"
    }

    private func store(_ table: String) throws -> ArchivedStore {
        let app = try ArchivedStore("CREATE TABLE \(table); \(Self.five(""));")
        #expect(app.prune(.archiving()).rules[0].deleted == 5)
        return app
    }

    @Test(
        "all of five rows come back where five of the app's have their rowids", arguments: tables,
        ["", "NULL"])
    func taken(table: String, x: String) throws {
        for others in [Self.five(x), "INSERT INTO t (at) SELECT value FROM json_each('[1, 2, 3, 4, 5]')"] {
            let app = try store(table)
            try app.app.execute(others)
            let preview = try app.restore(dryRun: true)
            let restored = try app.restore()
            #expect(preview == restored)
            #expect(restored.map(\.restored) == [5] && restored[0].skipped == [:])
            #expect(try app.app.integers("SELECT count(*), sum(at = \(old)) FROM t")[0] == 10)
            #expect(try app.restore().map(\.restored) == [0])
            #expect(try app.app.integers("SELECT count(*) FROM t") == [10])
        }
    }

    @Test(
        "no row is looked for in the whole table, though the app's rows have its rowid and a VACUUM has renumbered them",
        arguments: [true, false])
    func perRow(isDeletionKnown: Bool) throws {
        let rows = 4_000
        let fill = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t (at) SELECT \(old) - i FROM n
            """
        let app = try ArchivedStore("CREATE TABLE t (x, at INTEGER); \(fill);")
        #expect(app.prune(.archiving()).rules[0].deleted == Int64(rows))
        try app.app.execute("\(fill); DELETE FROM t WHERE rowid % 2; VACUUM")
        if !isDeletionKnown { try SQLiteShell(app.archivePath).run("DELETE FROM deletion;") }
        let control = freeControl()
        let part = try #require(app.archive.parts(control).first)
        let worker = try SQLiteWorker(path: app.app.path, control: control, monotonic: systemMonotonic)
        let restorer = try Restorer(
            part, leaseEnd: runStart.addingTimeInterval(86_400), from: app.archive,
            into: SQLiteRestoreSession(part, worker), control)
        defer { restorer.close() }
        let steps = StatementSteps()
        steps.follow(worker.connection.database)
        while try !restorer.restoreBatch(rows: 500).isLast {}
        let count = try app.app.integers("SELECT count(*) FROM t")[0]
        #expect(!isDeletionKnown || count == rows + rows / 2)
        #expect(steps.most > 0 && steps.most < rows / 4, "\(steps.most)")
    }

    @Test("all rows of two runs come back, which had the same rowids", arguments: tables, [true, false])
    func twoRuns(table: String, vacuums: Bool) throws {
        let app = try store(table)
        try app.app.execute(Self.five(""))
        #expect(app.prune(.archiving(), at: runStart.addingTimeInterval(60)).rules[0].deleted == 5)
        try app.app.execute(Self.five(""))
        if vacuums { try app.app.execute("DELETE FROM t WHERE rowid < 3; VACUUM") }
        #expect(try app.restore().map(\.restored) == [5, 5])
        #expect(try app.app.integers("SELECT count(*) FROM t") == [vacuums ? 13 : 15])
    }

    @Test(
        "rows of a run that was killed, which are in the store still, are not put in twice", arguments: tables
    )
    func killedRun(table: String) throws {
        let app = try ArchivedStore("CREATE TABLE \(table); \(Self.five("")); \(Self.five(""));")
        #expect(app.prune(.archiving()).rules[0].deleted == 10)
        // As if it had been killed before the deletion was on the disk, and the app had deleted some itself.
        try SQLiteShell(app.archivePath).run("DELETE FROM deletion;")
        try app.app.execute("\(Self.five("")); DELETE FROM t WHERE rowid = 2;")
        let preview = try app.restore(dryRun: true)
        let restored = try app.restore()
        #expect(preview == restored)
        #expect(restored.map(\.restored) == [6] && restored[0].skipped == [.exists: 4])
        #expect(try app.app.integers("SELECT count(*) FROM t") == [10])
        #expect(try app.archivedRows() == 4)
        #expect(try app.restore().map(\.restored) == [0])
    }

    @Test("the deletions that are known are those of runs that the archive has rows of")
    func knownDeletions() throws {
        let app = try store("t (x, at INTEGER)")
        let known = "SELECT count(*) FROM deletion;"
        let archive = try SQLiteShell(app.archivePath)
        #expect(try archive.run(known) == "1\n")
        try archive.run("DELETE FROM batch;")
        try app.app.execute(Self.five(""))
        #expect(app.prune(.archiving(), at: runStart.addingTimeInterval(60)).rules[0].deleted == 5)
        #expect(try archive.run(known) == "1\n")
        let keyed = try ArchivedStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, \(old));")
        #expect(keyed.prune(.archiving()).rules[0].deleted == 1)
        #expect(try SQLiteShell(keyed.archivePath).run(known) == "0\n")
    }
}
