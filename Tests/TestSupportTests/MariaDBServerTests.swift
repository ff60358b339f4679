import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct MariaDBServerTests {
    @Test func `each database of the shared server is a test's own`() throws {
        let databases = try (1...2).map {
            try MariaDBServer.shared.createDatabase("CREATE TABLE t AS SELECT \($0) AS n")
        }
        #expect(try databases.map { try $0.run("SELECT n FROM t") } == [[["1"]], [["2"]]])
    }

    @Test func `a database goes with its object`() throws {
        var database: MariaDBDatabase? = try MariaDBServer.shared.createDatabase(
            "CREATE TABLE a (n int PRIMARY KEY); CREATE TABLE b (n int REFERENCES a (n))")
        let name = try #require(database?.name)
        let shown = "SHOW DATABASES LIKE '\(name)'"
        #expect(try MariaDBServer.shared.run(shown) == [[name]])
        database = nil
        #expect(try MariaDBServer.shared.run(shown).isEmpty)
    }

    @Test func `a statement that fails is an error`() throws {
        let database = try MariaDBServer.shared.createDatabase()
        #expect(throws: ProgramFailed.self) { try database.run("SELECT 1; SELECT nothing; SELECT 2") }
    }

    @Test func `rows are what the server says, and NULL is no text`() throws {
        let rows = try MariaDBServer.shared.run(
            """
            SELECT NULL, 'NULL', '', 'two\nlines\n', '\n', 'x<">&amp;</field>', x'01097F', 'ä€𝄞';
            SELECT 1 FROM DUAL WHERE 0;
            SELECT NULL AS 'a\n">b' UNION ALL SELECT '" xsi:nil="true" />';
            DO 1;
            SELECT 7 AS '\n', CONVERT(x'610D0A620D' USING utf8mb4), '\u{301}x'
            """)
        #expect(
            rows == [
                [
                    nil, "NULL", "", "two\nlines\n", "\n", "x<\">&amp;</field>", "\u{1}\u{9}\u{7F}",
                    "ä€𝄞",
                ],
                [nil], ["\" xsi:nil=\"true\" />"], ["7", "a\r\nb\r", "\u{301}x"],
            ])
    }

    @Test func `a server that is killed comes back with what was committed`() throws {
        let server = try MariaDBServer.start()
        let database = try server.createDatabase("CREATE TABLE t AS SELECT 1 AS n")
        let client = try database.client()
        try client.run("BEGIN")
        try client.run("UPDATE t SET n = 2")
        try server.kill()
        #expect(throws: ProgramFailed.self) { try database.run("SELECT 1") }
        try server.start(["read-only": "1"])
        #expect(try database.run("SELECT n, @@read_only FROM t") == [["1", "1"]])
        try server.stop()
        try server.start()
        #expect(try database.run("SELECT n, @@read_only FROM t") == [["1", "0"]])
    }

    @Test func `a server that crashes is told from one that was killed, with its log`() throws {
        let server = try MariaDBServer.start()
        kill(try #require(server.processID), SIGSEGV)
        var log = ""
        try wait(for: "the server's end") {
            do { try server.run("SELECT 1") } catch let died as ServerDied {
                log = died.log
            } catch is ProgramFailed {}
            return !log.isEmpty
        }
        #expect(log.contains("signal 11"))
    }

    @Test func `a server that cannot start says why`() throws {
        let server = try MariaDBServer.start()
        try server.stop()
        let error = #expect(throws: ServerDidNotStart.self) { try server.start(["no-such-option": "1"]) }
        #expect(error?.log.contains("no-such-option") == true)
    }

    @Test func `a client holds its lock until its transaction ends, and another one waits`() throws {
        let database = try MariaDBServer.shared.createDatabase(
            "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 1), (2, 1)")
        let (holder, other) = (try database.client(), try database.client())
        try holder.run("BEGIN")
        #expect(try holder.run("SELECT n FROM t WHERE id = 1 FOR UPDATE") == [["1"]])
        #expect(throws: ProgramFailed.self) {
            try database.run("SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT")
        }
        let update = try other.send("UPDATE t SET n = n + 1 WHERE id = 1")
        try wait(for: "the other's waiting") { try other.isWaitingForRow }
        #expect(!other.hasEnded(update))
        #expect(try holder.run("SELECT nonsense").isEmpty)
        #expect(holder.complaints.contains("Unknown column"))
        try holder.run("COMMIT")
        #expect(try other.answer(to: update).isEmpty)
        #expect(try database.run("SELECT n FROM t ORDER BY id") == [["2"], ["1"]])
    }

    @Test func `a user has the rights that it was given`() throws {
        let database = try MariaDBServer.shared.createDatabase("CREATE TABLE t AS SELECT 1 AS n")
        let user = try database.createUser("SELECT, DELETE")
        #expect(try database.run("SELECT n FROM t", user: user) == [["1"]])
        #expect(throws: ProgramFailed.self) { try database.run("UPDATE t SET n = 2", user: user) }
    }

    @Test func `over TCP it listens where it is told to`() throws {
        var configuration = MariaDBConfiguration()
        configuration.loopback = true
        let server = try MariaDBServer.start(configuration: configuration)
        let port = try #require(server.port)
        #expect(try server.run("SELECT @@port, @@skip_networking") == [["\(port)", "0"]])
        #expect(server.loopbackURL(database: "a b") == "mariadb://root@127.0.0.1:\(port)/a%20b")
        #expect(try MariaDBServer.shared.loopbackURL() == nil)
    }

    @Test func `its address has the path of the socket encoded`() throws {
        let server = try MariaDBServer.shared
        let path = server.socket.replacing("/", with: "%2F")
        #expect(server.url(database: "ä/b") == "mariadb://root@localhost/%C3%A4%2Fb?socket=\(path)")
    }
}
