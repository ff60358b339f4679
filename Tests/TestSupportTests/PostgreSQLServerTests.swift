import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct PostgreSQLServerTests {
    @Test func `each database of the shared server is a test's own`() throws {
        let databases = try (1...2).map {
            try PostgreSQLServer.shared.createDatabase("CREATE TABLE t AS SELECT \($0) AS n")
        }
        #expect(try databases.map { try $0.psql("SELECT n FROM t") } == ["1", "2"])
    }

    @Test func `a statement that fails is an error`() throws {
        let database = try PostgreSQLServer.shared.createDatabase()
        #expect(throws: ProgramFailed.self) { try database.psql("SELECT 1; SELECT 1 / 0; SELECT 2") }
    }

    @Test func `a server that is killed comes back with what was committed`() throws {
        let server = try PostgreSQLServer.start()
        try server.psql("CREATE TABLE t AS SELECT 1 AS n")
        try server.killFirstProcess()
        #expect(throws: ProgramFailed.self) { try server.psql("SELECT 1") }
        try server.start()
        #expect(try server.psql("SELECT n FROM t") == "1")
        try server.restart(.immediate)
        #expect(try server.psql("SELECT n FROM t") == "1")
    }

    @Test func `a standby follows, waits when it is paused, and is a primary once it is promoted`() throws {
        let primary = try PostgreSQLServer.start()
        let standby = try primary.standby(slot: "seat")
        try primary.psql("CREATE TABLE t AS SELECT 1 AS n")
        try primary.waitForReplay(by: standby)
        try standby.setReplay(paused: true)
        try primary.psql("UPDATE t SET n = 2")
        #expect(try standby.psql("SELECT n, pg_is_in_recovery() FROM t") == "1|t")
        try standby.setReplay(paused: false)
        try primary.waitForReplay(by: standby)
        try standby.promote()
        try standby.psql("UPDATE t SET n = n + 1")
        #expect(try standby.psql("SELECT n, pg_is_in_recovery() FROM t") == "3|f")
    }

    @Test func `without its synchronous standby a commit waits`() throws {
        let server = try PostgreSQLServer.start()
        let database = try server.createDatabase("CREATE TABLE t (n int)")
        try server.loseSynchronousStandby()
        let session = try database.session()
        let insert = try session.send("INSERT INTO t VALUES (1)")
        try wait(for: "the commit's waiting") {
            try server.psql(
                "SELECT wait_event FROM pg_stat_activity WHERE pid = \(session.backend)") == "SyncRep"
        }
        #expect(!session.hasEnded(insert))
        #expect(try database.psql("SELECT count(*) FROM t") == "0")
    }

    @Test(.enabled(if: isRoot, "needs root"))
    func `a small file system runs full, and the server goes on`() throws {
        var configuration = PostgreSQLConfiguration(["max_wal_size": "48MB", "min_wal_size": "32MB"])
        configuration.diskMegabytes = 120
        let server = try PostgreSQLServer.start(configuration: configuration)
        let error = #expect(throws: ProgramFailed.self) {
            try server.psql(
                "CREATE UNLOGGED TABLE t AS SELECT repeat('x', 1000) FROM generate_series(1, 200000)")
        }
        #expect(error?.errors.contains("No space left on device") == true)
        #expect(try server.psql("SELECT 1") == "1")
    }

    @Test func `a session keeps its transaction open`() throws {
        let database = try PostgreSQLServer.shared.createDatabase("CREATE TABLE t AS SELECT 1 AS n")
        let session = try database.session()
        try session.run("BEGIN")
        #expect(try session.run("UPDATE t SET n = 2 RETURNING n, 'two\nlines'") == "2|two\nlines")
        #expect(try database.psql("SELECT n FROM t") == "1")
        try session.run("COMMIT")
        #expect(try database.psql("SELECT n FROM t") == "2")
    }

    @Test func `passwords are asked for where the access rules say so`() throws {
        var configuration = PostgreSQLConfiguration()
        configuration.loopback = true
        configuration.authentication = ["host all all 127.0.0.1/32 scram-sha-256"]
        let server = try PostgreSQLServer.start(configuration: configuration)
        let role = try server.createRole("PASSWORD 'secret'")
        func command(_ password: String?) throws -> Program {
            var command = Program([
                try PostgreSQLPrograms.path("psql"), "-X", "-A", "-t", "-w", "-c", "SELECT current_user",
                server.loopbackURL(user: role),
            ])
            command.environment["PGPASSWORD"] = password
            return command
        }
        #expect(try command("secret").answer() == role)
        #expect(throws: ProgramFailed.self) { try command(nil).answer() }
    }

    @Test(.enabled(if: DebianArchive.ttRSS != nil, "\(PostgreSQLPrograms.comment)"))
    func `the tables of Tiny Tiny RSS are made from its package`() throws {
        let database = try PostgreSQLServer.shared.createDatabase(try DebianArchive.ttRSSSchema ?? "")
        #expect(try database.psql("SELECT count(*) FROM ttrss_user_entries") == "0")
    }
}
