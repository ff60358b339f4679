import Foundation
import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Connections that cannot be made",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct BadConnectionTests {
    private let control = RunControl(monotonic: systemMonotonic)

    private func failure(_ url: String) throws -> StoreError {
        let place = (try? ConnectionString(url).redacted) ?? "here"
        let error = #expect(throws: StoreError.self) {
            try Connection(Address(text: url, place: place), control)
        }
        return try #require(error)
    }

    @Test("Where no server is, the hint names the server, host and port")
    func nowhere() throws {
        for url in [
            "postgresql:///news?host=/nonexistent", "postgresql://127.0.0.1:1/news",
            "postgresql://no-such-host.invalid/news",
        ] {
            let error = try failure(url)
            #expect(error.kind == .inputOutput, "\(error)")
            #expect(error.hint?.contains("host") == true, "\(error)")
        }
    }

    @Test("A wrong role, database or text is an error that says what to look at")
    func wrongNames() throws {
        let server = try PostgreSQLServer.shared
        let role = try failure(server.url(user: "nobody else"))
        #expect(role.cause.contains("role \"nobody else\" does not exist"), "\(role)")
        #expect(role.hint?.contains("role") == true)
        let database = try failure(server.url(database: "nothing"))
        #expect(database.cause.contains("database \"nothing\" does not exist"), "\(database)")
        let text = try failure("host=a b c password=geheim")
        #expect(text.kind == .schema && !"\(text)".contains("geheim"), "\(text)")
    }

    @Test("No error shows a password, right or wrong")
    func passwords() throws {
        var configuration = PostgreSQLConfiguration()
        configuration.loopback = true
        configuration.authentication = ["host all all 127.0.0.1/32 scram-sha-256"]
        let server = try PostgreSQLServer.start(configuration: configuration)
        let role = try server.createRole("PASSWORD 'geheim-1'")
        func url(_ password: String) -> String {
            server.loopbackURL(user: role).replacing("@", with: password.isEmpty ? "@" : ":\(password)@")
        }
        _ = try Connection(Address(text: url("geheim-1"), place: "here"), control)
        let wrong = try failure(url("geheim-2"))
        #expect(wrong.kind == .inputOutput && !"\(wrong)".contains("geheim"), "\(wrong)")
        let none = try failure(url("") + "?passfile=/nonexistent")
        #expect(none.hint?.contains(".pgpass") == true, "\(none)")
        let elsewhere = try failure(url("geheim-1").replacing("/postgres", with: "/nothing"))
        #expect(!"\(elsewhere)".contains("geheim"), "\(elsewhere)")
        // What the server itself records.
        #expect(!server.log.contains("geheim-2"))
    }

    @Test("A server that starts up, or has no connection left, is to be tried again")
    func busy() throws {
        let primary = try PostgreSQLServer.start()
        let role = try primary.createRole("CONNECTION LIMIT 0")
        let full = try failure(primary.url(user: role))
        #expect(full.kind == .busy, "\(full)")
        // One that is still in recovery and lets nobody in.
        let standby = try primary.standby()
        try primary.stop(.immediate)
        try standby.set("hot_standby", to: "off", isStandby: true)
        // The socket is there a moment before the server listens.
        try wait(for: "the server's ear") {
            try !failure(standby.url()).cause.contains("Connection refused")
        }
        let starting = try failure(standby.url())
        #expect(starting.kind == .busy, "\(starting)")
        #expect(starting.hint?.contains("starts up") == true, "\(starting)")
    }

    @Test("A host that takes the connection and never answers is skipped for the next one")
    func silentHost() throws {
        let server = try PostgreSQLServer.shared
        let silent = try SilentServer()
        let url =
            "host=\(silent.directory),\(server.socketDirectory) user=postgres dbname=postgres connect_timeout=2"
        let connection = try Connection(Address(text: url, place: "here"), control)
        let answer = try connection.query("SELECT current_setting('unix_socket_directories')")
        #expect(answer.text(0, 0) == server.socketDirectory)
        let alone = try failure("host=\(silent.directory) user=postgres connect_timeout=2")
        #expect(alone.cause.contains("did not answer"), "\(alone)")
    }

    @Test("A stop ends the waiting for a server that never answers")
    func stopped() throws {
        let silent = try SilentServer()
        let control = RunControl(monotonic: systemMonotonic)
        control.requestStop("stopped by SIGTERM")
        let error = #expect(throws: StoreError.self) {
            try Connection(Address(text: "host=\(silent.directory) user=postgres", place: "here"), control)
        }
        #expect(error?.kind == .interrupted)
    }

    @Test("An old server, a superuser, and a role that policies do not hold for are refused with a hint")
    func refusals() throws {
        let server = try PostgreSQLServer.shared
        let connection = try Connection(Address(text: server.url(), place: "here"), control)
        let facts = try connection.serverFacts()
        let superuser = #expect(throws: StoreError.self) { try connection.check(facts) }
        #expect(superuser?.kind == .schema && superuser?.cause.contains("superuser") == true)
        let old = #expect(throws: StoreError.self) { try connection.check(facts.with(version: 130_014)) }
        #expect(old?.cause == "the server is PostgreSQL 13")
        #expect(old?.hint == "14 or later is needed")
        for (power, rights) in [("postgres", ""), ("pg_execute_server_program", ""), ("", "CREATEROLE")] {
            let role = try server.createRole(rights)
            if !power.isEmpty { try server.psql("GRANT \(power) TO \(role)") }
            let member = try Connection(Address(text: server.url(user: role), place: "here"), control)
            let facts = try member.serverFacts()
            let error = #expect(throws: StoreError.self) { try member.check(facts) }
            #expect(
                error?.hint
                    == (power.isEmpty
                        ? "ALTER ROLE \"\(role)\" NOCREATEROLE" : "REVOKE \"\(power)\" FROM \"\(role)\""),
                "\(facts)")
        }
        let role = try server.createRole("BYPASSRLS")
        let bypassing = try Connection(Address(text: server.url(user: role), place: "here"), control)
        let error = #expect(throws: StoreError.self) { try bypassing.check(try bypassing.serverFacts()) }
        #expect(error?.hint == "ALTER ROLE \"\(role)\" NOBYPASSRLS")
    }
}

extension ServerFacts {
    fileprivate func with(version: Int) -> ServerFacts {
        ServerFacts(
            version: version, isStandby: isStandby, role: role, isSuperuser: isSuperuser,
            powerfulRole: powerfulRole,
            bypassesRowSecurity: bypassesRowSecurity, database: database, date: date, processID: processID)
    }
}

extension PostgreSQLServer {
    /// Changes a setting of a standby that needs a restart.
    fileprivate func set(_ name: String, to value: String, isStandby: Bool) throws {
        try psql("ALTER SYSTEM SET \(name) = \(value)")
        try stop(.fast)
        Thread.detachNewThread { try? self.start() }
        try wait(for: "the start") {
            FileManager.default.fileExists(atPath: socketDirectory + "/.s.PGSQL.5432")
        }
    }
}

/// A socket like a server's that takes connections and never says anything.
private final class SilentServer {
    let directory: String
    private let socket: Int32

    init() throws {
        var name = Array("/tmp/pruned-silent-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw POSIXError(.EACCES) }
        directory = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = directory + "/.s.PGSQL.5432"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { bind(socket, $0.baseAddress, socklen_t(raw.count)) }
        }
        guard status == 0, listen(socket, 10) == 0 else { throw POSIXError(.EIO) }
    }

    deinit {
        close(socket)
        try? FileManager.default.removeItem(atPath: directory)
    }
}
