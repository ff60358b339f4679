import TestSupport
import Testing

@Suite(
    .enabled(
        if: PostgreSQLPrograms.installed != nil && PgBouncer.isInstalled, "\(PostgreSQLPrograms.comment)"))
struct PgBouncerTests {
    @Test func `clients share a session between transactions`() throws {
        let server = try PostgreSQLServer.shared
        let database = try server.createDatabase()
        let pooler = try PgBouncer(before: server, poolSize: 1)
        func ask(_ sql: String) throws -> String {
            try Program([
                try PostgreSQLPrograms.path("psql"), "-X", "-A", "-t", "-c", sql,
                pooler.url(database: database.name),
            ]).answer()
        }
        // The lock of a session that has been given to the next client.
        #expect(try ask("SELECT pg_try_advisory_lock(1), pg_backend_pid()").hasPrefix("t|"))
        #expect(try ask("SELECT pg_try_advisory_lock(1)") == "t")
    }

    @Test func `pgbench as an app reports a latency for each transaction`() throws {
        let database = try PostgreSQLServer.shared.createDatabase("CREATE TABLE t (n int)")
        let app = try Pgbench(
            on: database.url, script: "INSERT INTO t VALUES (1);\n", rate: 100, seconds: 100)
        try wait(for: "its work") { try database.psql("SELECT count(*) > 10 FROM t") == "t" }
        app.stop()
        let latencies = try app.finish()
        #expect(try database.psql("SELECT count(*) FROM t") == "\(latencies.milliseconds.count)")
        #expect(latencies.percentile(50) <= latencies.percentile(99.9))
        #expect(latencies.percentile(100) == latencies.milliseconds.last)
    }
}
