import Archive
import Foundation
import Pruning
import Retention
import SQLitePruning
import Synchronization
import TestSupport
import Testing

/// Rows that were put back stay, beside everything else that says which rows go.
struct LeaseTests {
    /// Rows 1 to 10 expired, of which those up to 5 were put back; 11 to 20 not.
    private func store(_ more: String = "") throws -> ArchivedStore {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE INDEX t_at ON t (at);
            CREATE TABLE other (t INTEGER);
            CREATE INDEX other_t ON other (t);
            INSERT INTO t SELECT value, \(old) - value FROM json_each('[1, 2, 3, 4, 5]');
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 5)
        #expect(try app.restore().map(\.restored) == [5])
        try app.app.execute(
            """
            INSERT INTO t SELECT value, \(old) - value FROM json_each('[6, 7, 8, 9, 10]');
            INSERT INTO t SELECT value + 10, \(fresh) + value FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]');
            \(more)
            """)
        return app
    }

    private func ids(_ app: ArchivedStore) throws -> [Int64] {
        try app.app.integers("SELECT id FROM t ORDER BY id")
    }

    @Test("rows that stay count once each, by what keeps them", arguments: [nil, "at", "at / 86400"])
    func reasons(index: String?) throws {
        let app = try store(
            """
            DROP INDEX t_at; \(index.map { "CREATE INDEX t_at ON t (\($0));" } ?? "")
            DELETE FROM t WHERE id > 10;
            INSERT INTO other VALUES (2), (6), (7), (8), (9), (10);
            INSERT INTO t VALUES (11, 'text'), (12, NULL);
            """)
        let rule = RetentionRule.archiving(keptBy: ColumnReference(table: "other", column: "t"), keepLast: 7)
        let ages = { (rule: RetentionRule) throws(StoreError) in
            let view = try app.store.openView(freeControl())
            defer { view.close() }
            return try view.ages(of: PruneTask(rule, start: runStart, in: .gmt))
        }
        // The newest 7 are 1 to 7, and of the others all have their key in the keeper.
        let stay = try ages(rule).stay
        #expect(stay[.leased] == 5 && stay[.newest] == 2 && stay[.keptBy] == 3, "\(stay)")
        #expect(stay.leasesEnd == runStart.addingTimeInterval(30 * 86_400))
        try app.app.execute("DELETE FROM other WHERE t IN (8, 9)")
        #expect(try ages(rule).stay[.keptBy] == 1 && ages(rule).census.expired == 2)
        let plain = try ages(.archiving()).stay
        #expect(plain[.leased] == 5 && plain[.newest] == 0 && plain[.keptBy] == 0)

        try FileManager.default.removeItem(atPath: app.archivePath)
        let others = try ages(rule).stay
        #expect(others[.leased] == 0 && others.leasesEnd == nil, "\(others)")
        #expect(others[.newest] == 7 && others[.keptBy] == 1, "\(others)")
    }

    @Test(
        "while it cannot be seen which rows have a lease, none is deleted, by whatever rule",
        arguments: [true, false])
    func busy(archives: Bool) throws {
        let app = try store()
        let rule = archives ? RetentionRule.archiving() : .old()
        let other = try SQLiteShell(app.archivePath)
        try other.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM batch WHERE 0;")
        let report = app.prune(rule).rules[0]
        #expect(report.outcome == .skipped && report.deleted == 0, "\(report)")
        other.quit()
        #expect(app.prune(rule).rules[0].deleted == 5)
        #expect(try ids(app) == Array(1...5) + Array(11...20))
    }

    @Test("rules that do not archive go on beside an archive that is damaged; those that do delete nothing")
    func damaged() throws {
        let app = try store()
        try Data(repeating: 7, count: 50_000).write(to: URL(filePath: app.archivePath))
        #expect(app.prune(.archiving()).rules[0].deleted == 0)
        #expect(try ids(app).count == 20)
        #expect(app.prune(.old()).rules[0].deleted == 10)
    }

    @Test("no rule goes on beside an archive that is whole and cannot be read: its leases are in force")
    func unreadable() throws {
        let app = try store()
        let elsewhere = app.archivePath + "-elsewhere"
        #expect(rename(app.archivePath, elsewhere) == 0 && symlink(elsewhere, app.archivePath) == 0)
        let report = app.prune(.old()).rules[0]
        #expect(report.outcome == .failed && report.failure?.kind == .fault(.inputOutput), "\(report)")
        #expect(report.failure?.place == app.archivePath && report.deleted == 0)
        #expect(unlink(app.archivePath) == 0 && rename(elsewhere, app.archivePath) == 0)
        #expect(app.prune(.old()).rules[0].deleted == 5)
        #expect(try ids(app) == Array(1...5) + Array(11...20))
    }

    @Test(
        "another archive's lease keeps rows of the store that it names, and of any if no store has that name: it may be renamed",
        arguments: [("s", 0), ("gone", 0), ("other", 2)] as [(Name, Int64)])
    func elsewhere(named: Name, deleted: Int64) throws {
        let app = try store()
        try SQLiteShell(app.archivePath).run("UPDATE lease SET store = '\(named)';")
        let other = try TemporaryStore(
            "CREATE TABLE T (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO T VALUES (1, \(old)), (2, \(old));"
        )
        let report = app.report([.old()], onAnotherAt: other.path)
        #expect(report.deleted == deleted, "\(report)")
    }

    @Test("nothing is deleted while a lease of another archive cannot be read", arguments: [true, false])
    func unknownElsewhere(archives: Bool) throws {
        let app = try store()
        try SQLiteShell(app.archivePath).run("UPDATE lease SET checksum = 0;")
        let report = app.report([archives ? .archiving() : .old()], onAnotherAt: app.app.path)
        #expect(report.outcome == .held && report.deleted == 0, "\(report)")
    }

    @Test("nothing is deleted while it is unknown which archives there are")
    func unknownArchives() throws {
        let app = try store()
        let unknown = StoreError(
            .inputOutput, operation: "open the archive", place: "/archive", cause: "others can write to it")
        let report = app.report([.old()], onAnotherAt: app.app.path, failure: unknown)
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
    }

    @Test(
        "a lease outlives a migration of the table",
        arguments: [
            "ALTER TABLE k ADD COLUMN c DEFAULT 7", "ALTER TABLE k RENAME COLUMN x TO y", "VACUUM",
            "ALTER TABLE k ADD COLUMN c DEFAULT 7; ALTER TABLE k ADD COLUMN d; UPDATE k SET d = rowid",
        ])
    func migration(statements: String) throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE k (x, at INTEGER);
            INSERT INTO k SELECT value, \(old) FROM json_each('[1, 2, 3, 4, 5]');
            """)
        #expect(app.prune(.archiving("k")).rules[0].deleted == 5)
        #expect(try app.restore().map(\.restored) == [5])
        try app.app.execute(statements)
        try app.app.execute("INSERT INTO k (at) VALUES (\(old))")
        #expect(app.prune(.archiving("k")).rules[0].deleted == 1)
        #expect(try app.app.integers("SELECT count(*) FROM k") == [5])
    }
}
