import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "Rows and tables that others have locked in MariaDB",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct LockedRowTests {
    private static let rows = 6_000

    private static func app() throws -> AppDatabase {
        try AppDatabase(AppDatabase.table(rows, also: ", INDEX (at)"))
    }

    /// A client that has locked the rows of which `place` is true, and no gaps and rows beside them.
    private func locking(_ place: String, of app: AppDatabase) throws -> MariaDBClient {
        let client = try app.database.client()
        try client.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        try client.run("BEGIN")
        try client.run("SELECT id FROM t FORCE INDEX (PRIMARY) WHERE \(place) FOR UPDATE")
        return client
    }

    @Test(
        "those that stay locked are skipped, the failure says so, and the next run takes them",
        arguments: AccessPath.allCases)
    func skipped(path: AccessPath) throws {
        let app = try Self.app()
        let client = try locking("TRUE", of: app)
        let report = try app.prune(accessPath: path)
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.locked), "\(report)")
        let cause = "6,000 of 6,000 expired rows were skipped: others have them locked"
        #expect(report.failure?.cause == cause)
        #expect(report.deleted == 0, "\(report)")
        #expect(try app.rows() == Self.rows)
        try client.run("ROLLBACK")
        let next = try app.prune(accessPath: path)
        #expect(next.outcome == .done && Int(next.deleted) == Self.rows, "\(next)")
        #expect(try app.rows() == 0)
    }

    @Test("those that are let go in mid-run are visited again at its end", arguments: AccessPath.allCases)
    func revisited(path: AccessPath) throws {
        let app = try Self.app()
        let client = try locking("id <= 100", of: app)
        let report = try app.prune(accessPath: path) { if $0 == 3 { try client.run("ROLLBACK") } }
        #expect(report.outcome == .done && Int(report.deleted) == Self.rows, "\(report)")
        #expect(report.batches > 3)
        #expect(try app.rows() == 0)
    }

    @Test(
        "a row that is changed and let go in mid-run is judged as it is then", arguments: AccessPath.allCases)
    func changed(path: AccessPath) throws {
        let app = try Self.app()
        let client = try locking("id <= 100", of: app)
        let report = try app.prune(accessPath: path) {
            guard $0 == 2 else { return }
            try client.run("UPDATE t SET at = '2026-11-19' WHERE id <= 50")
            try client.run("COMMIT")
        }
        #expect(report.outcome == .done && Int(report.deleted) == Self.rows - 50, "\(report)")
        #expect(try app.run("SELECT min(id), max(id), count(*) FROM t") == [["1", "50", "50"]])
    }

    @Test("a locked row of a dependent leaves its row for the next run, and no lock is waited for")
    func dependent() throws {
        let app = try Self.app()
        try app.run(
            """
            CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE);
            INSERT INTO c SELECT id, id FROM t
            """)
        let client = try app.database.client()
        try client.run("BEGIN")
        try client.run("SELECT id FROM c WHERE id = 3000 FOR UPDATE")
        let report = try app.prune(.old(dependents: ["c"]))
        #expect(report.outcome == .skipped, "\(report)")
        #expect(try app.rows() == Self.rows - Int(report.deleted))
        #expect(try app.rows(of: "c") == Self.rows - Int(report.dependentsDeleted))
        #expect(try app.count("SELECT count(*) FROM t JOIN c ON c.t = t.id WHERE t.id = 3000") == 1)
        try client.run("ROLLBACK")
        let next = try app.prune(.old(dependents: ["c"]))
        #expect(next.outcome == .done, "\(next)")
        #expect(try [app.rows(), app.rows(of: "c")] == [0, 0])
    }

    @Test("a locked table is waited for as long as patience lasts, and then the run is to be tried again")
    func table() throws {
        let app = try Self.app()
        let client = try app.database.client()
        let report = try app.prune { if $0 == 2 { try client.run("LOCK TABLES t WRITE") } }
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.busy), "\(report)")
        #expect(report.batches == 2)
        try client.run("UNLOCK TABLES")
        #expect(try app.rows() == Self.rows - Int(report.deleted))
        #expect(try app.prune().outcome == .done)
        #expect(try app.rows() == 0)
    }
}
