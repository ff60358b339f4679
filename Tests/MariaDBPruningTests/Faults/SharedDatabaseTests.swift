import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "Several runs on one MariaDB, and servers that only read",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct SharedDatabaseTests {
    private static let rows = 6_000

    @Test("of two runs at once, one deletes, and the other is told of it")
    func twoRuns() throws {
        let app = try AppDatabase(AppDatabase.table(Self.rows))
        let second = Mutex<RuleReport?>(nil)
        let report = try app.prune {
            guard $0 == 1 else { return }
            let other = try app.prune()
            second.withLock { $0 = other }
        }
        let refused = try #require(second.withLock { $0 })
        #expect(refused.outcome == .skipped && refused.deleted == 0, "\(refused)")
        #expect(refused.failure?.kind == .fault(.busy), "\(refused)")
        let cause = refused.failure?.cause
        #expect(
            cause?.contains(/^it is being pruned by another run \(connection \d+\)$/) == true, "\(refused)")
        #expect(report.outcome == .done && Int(report.deleted) == Self.rows, "\(report)")
        #expect(try app.prune().outcome == .done, "the claim ends with its run")
    }

    @Test(
        "a claim is of one database, whatever its name is",
        arguments: ["short", String(repeating: "long", count: 16), "ä' \"\\`"])
    func claims(name: String) throws {
        let server = try MariaDBServer.shared
        let quoted = "`\(name.replacing("`", with: "``"))`"
        try server.run("CREATE DATABASE IF NOT EXISTS \(quoted)")
        defer { _ = try? server.run("DROP DATABASE \(quoted)") }
        let control = RunControl(monotonic: systemMonotonic)
        let address = try Address(text: server.url(database: name), place: "here")
        let first = try RunClaim(address, control)
        let error = #expect(throws: StoreError.self) { try RunClaim(address, control) }
        #expect(error?.kind == .busy)
        let neighbour = try AppDatabase()
        try RunClaim(Address(text: neighbour.database.url, place: "there"), control).release()
        try first.check()
        first.release()
        try RunClaim(address, control).release()
    }

    @Test("a run whose claim is ended by somebody deletes nothing more")
    func lostClaim() throws {
        let app = try AppDatabase(AppDatabase.table(Self.rows))
        let report = try app.prune {
            guard $0 == 2 else { return }
            try app.run(
                """
                SET @id = (SELECT IS_USED_LOCK('pruned:\(app.database.name)'));
                EXECUTE IMMEDIATE CONCAT('KILL ', @id)
                """)
        }
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.busy), "\(report)")
        #expect(
            report.failure?.cause.contains("the connection that has the claim was lost") == true, "\(report)")
        #expect(report.batches == 2)
        #expect(try app.rows() == Self.rows - Int(report.deleted))
    }

    @Test(
        "a server that only reads, as a replica does, is busy, and one that begins to in mid-run ends the run"
    )
    func readOnly() throws {
        let server = try MariaDBServer.start()
        let app = try AppDatabase(AppDatabase.table(Self.rows), on: server)
        let user = try app.database.createUser("SELECT, DELETE, TRIGGER")
        try app.run("GRANT PROCESS ON *.* TO \(user)@localhost")
        try app.run("SET GLOBAL read_only = 1")
        let refused = try app.prune(user: user)
        #expect(refused.outcome == .skipped && refused.failure?.kind == .fault(.busy), "\(refused)")
        #expect(refused.failure?.cause == "the server is read_only, as a replica is", "\(refused)")
        let error = #expect(throws: StoreError.self) { try app.store(user: user).checkAccess() }
        #expect(error?.kind == .busy)
        #expect(try app.prune(dryRun: true, user: user).expired == 6_000, "a plan only reads")

        try app.run("SET GLOBAL read_only = 0")
        let cut = try app.prune(user: user) { if $0 == 2 { try app.run("SET GLOBAL read_only = 1") } }
        #expect(cut.outcome == .skipped && cut.failure?.kind == .fault(.busy), "\(cut)")
        #expect(cut.batches == 2)
        #expect(try app.rows() == Self.rows - Int(cut.deleted))
        try app.run("SET GLOBAL read_only = 0")
        #expect(try app.prune(user: user).outcome == .done)
        #expect(try app.rows() == 0)
    }

    @Test("a connection that is killed in mid-run fails the run, and the next one goes on")
    func lostConnection() throws {
        let app = try AppDatabase(AppDatabase.table(Self.rows))
        let user = try app.database.createUser("SELECT, DELETE, TRIGGER")
        try app.run("GRANT PROCESS ON *.* TO \(user)@localhost")
        let report = try app.prune(user: user) {
            guard $0 == 2 else { return }
            try app.run("KILL USER \(user)@localhost")
        }
        #expect(report.outcome != .done, "\(report)")
        #expect(try app.rows() == Self.rows - Int(report.deleted))
        #expect(try app.prune(user: user).outcome == .done)
        #expect(try app.rows() == 0)
    }
}
