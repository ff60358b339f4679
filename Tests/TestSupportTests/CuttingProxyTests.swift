import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct CuttingProxyTests {
    private let database: PostgreSQLDatabase
    private let proxy: CuttingProxy

    init() throws {
        database = try PostgreSQLServer.shared.createDatabase("CREATE TABLE t (n int)")
        proxy = try CuttingProxy(before: database.server)
    }

    /// What psql says that a client by way of the proxy has lost; nil: nothing.
    private func insert(_ numbers: ClosedRange<Int>, prepared: Bool = false) throws -> String? {
        let statements = numbers.map { "BEGIN; INSERT INTO t VALUES (\($0)); COMMIT;" }
        do {
            try Program([
                try PostgreSQLPrograms.path("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1",
                proxy.url(database: database.name),
            ]).answer(to: statements.joined(separator: "\n"), seconds: 20)
            return nil
        } catch let failed as ProgramFailed {
            return failed.errors
        }
    }

    private func rows() throws -> String {
        try database.psql("SELECT coalesce(string_agg(n::text, ' ' ORDER BY n), '') FROM t")
    }

    @Test func `without a point everything passes`() throws {
        #expect(try insert(1...20) == nil)
        #expect(proxy.cuts == 0)
        #expect(proxy.statements.filter(CuttingProxy.commits).count == 20)
        #expect(try database.psql("SELECT count(*) FROM t") == "20")
    }

    @Test(arguments: [
        (CuttingProxy.Fault.before, "1"), (.afterAnswer, "1 2"), (.inAnswer, "1 2"),
    ])
    func `the second commit is cut, and its transaction is there if the server saw it`(
        fault: CuttingProxy.Fault, left: String
    ) throws {
        proxy.cut(at: CuttingProxy.Point(fault, number: 2))
        let error = try insert(1...3)
        #expect(error?.contains("server closed the connection unexpectedly") == true)
        #expect(proxy.cuts == 1)
        try wait(for: "the end of the session") {
            try database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND pid <> pg_backend_pid()"
            ) == "0"
        }
        #expect(try rows() == left)
    }

    @Test func `a commit that was in flight is done in the end`() throws {
        proxy.cut(at: CuttingProxy.Point(.inFlight, number: 2))
        #expect(try insert(1...3) != nil)
        try wait(for: "the commit") { try rows() == "1 2" }
    }

    @Test func `statements that pgbench has prepared are known, too`() throws {
        proxy.cut(at: CuttingProxy.Point(.before, number: 3) { $0.hasPrefix("INSERT") })
        let app = try Pgbench(
            on: proxy.url(database: database.name), script: "INSERT INTO t VALUES (1);\n", rate: 100,
            seconds: 1, clients: 1, options: ["--protocol=prepared"])
        _ = try? app.finish()
        #expect(proxy.cuts == 1)
        #expect(try database.psql("SELECT count(*) FROM t") == "2")
    }

    @Test func `new connections are refused while it is told so`() throws {
        proxy.refuse(true)
        #expect(try insert(1...1) != nil)
        proxy.refuse(false)
        #expect(try insert(1...1) == nil)
        #expect(proxy.connections == 2)
    }

    @Test func `words that begin like a commit are none`() {
        #expect(
            ["COMMIT", " commit ;", "DELETE FROM t; END;", "end"].allSatisfy(CuttingProxy.commits))
        #expect(
            !["SET LOCAL synchronous_commit = local", "SELECT 'COMMIT'", "BEGIN", ""].contains(
                where: CuttingProxy.commits))
    }
}
