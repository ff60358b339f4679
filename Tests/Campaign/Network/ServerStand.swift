import Foundation
import TestSupport
import Synchronization

/// A server with a database for each scenario, and a proxy before it: what one case after the other uses.
final class ServerStand: Sendable {
    /// The role of the program, which owns nothing.
    private static let role = "pruned"
    private static let owner = "app"

    private let server: PostgreSQLServer
    let proxy: MessageProxy
    /// The scenarios that have a database.
    private let made = Mutex<Set<String>>([])

    init() throws {
        let server = try PostgreSQLServer.start(
            configuration: PostgreSQLConfiguration(["autovacuum": "off", "restart_after_crash": "on"]))
        self.server = server
        proxy = try MessageProxy(before: server) { Self.strike(server, $0, process: $1) }
        let administrator = try Self.connection(server)
        try administrator.rows("CREATE ROLE \(Self.owner) LOGIN")
        try administrator.rows("CREATE ROLE \(Self.role) LOGIN IN ROLE \(Self.owner)")
    }

    /// Makes the tables of a scenario as they were in the beginning.
    func fill(_ scenario: ServerScenario) throws {
        let isNew = made.withLock { $0.insert(scenario.name).inserted }
        if isNew {
            try Self.connection(server).rows("CREATE DATABASE \(scenario.name) OWNER \(Self.owner)")
            try connection(to: scenario).rows(scenario.setup)
        }
        try connection(to: scenario).rows(scenario.fill)
    }

    /// The database of a scenario, by way of the proxy.
    func url(of scenario: ServerScenario) -> String {
        "postgresql://\(Self.role)@127.0.0.1:\(proxy.port)/\(scenario.name)?sslmode=disable&gssencmode=disable"
    }

    /// A connection of the owner's, past the proxy.
    func connection(to scenario: ServerScenario) throws -> ServerConnection {
        try Self.connection(server, database: scenario.name, user: Self.owner)
    }

    /// A server that was killed at may be there for an instant before it notices.
    private static func connection(
        _ server: PostgreSQLServer, database: String = "postgres", user: String = "postgres"
    ) throws -> ServerConnection {
        var connection: ServerConnection?
        try wait(for: "a connection: \(server.log.suffix(1_000))", seconds: 60) {
            connection = try? ServerConnection(server.url(database: database, user: user))
            return connection != nil
        }
        guard let connection else { throw ServerConnectionError(text: "no connection") }
        return connection
    }

    /// Has the server run again if a fault has stopped it.
    func recover() throws {
        if server.processID == nil { try server.start() }
    }

    /// What the program has left on the server once its connections had the time to end.
    func leftovers() throws -> [String] {
        let administrator = try Self.connection(server)
        let question = """
            SELECT coalesce(string_agg(concat_ws(' ', a.application_name, a.state, a.query,
                (SELECT string_agg(l.locktype || ' ' || l.mode, ', ') FROM pg_locks l WHERE l.pid = a.pid)), '; '), '')
            FROM pg_stat_activity a WHERE a.usename = '\(Self.role)'
            """
        var left = ""
        do {
            try wait(for: "the end of all connections", seconds: 30) {
                left = try administrator.texts(question)[0]
                return left.isEmpty && proxy.open == 0
            }
        } catch is WaitedTooLong {
            return ["left on the server: \(left); connections of the proxy: \(proxy.open)"]
        }
        return []
    }

    private static func strike(_ server: PostgreSQLServer, _ fault: MessageFault, process: pid_t) {
        switch fault {
        case .terminated:
            _ = try? ServerConnection(server.url()).rows("SELECT pg_terminate_backend(\(process), 10000)")
        case .killed where process > 0: try? crash(server, by: process)
        case .restarted: try? server.restart(.immediate)
        case .stopped: try? server.stop(.immediate)
        default: break
        }
    }

    /// Kills a process of the server and waits until the server, which ends all others then, is there again.
    private static func crash(_ server: PostgreSQLServer, by process: pid_t) throws {
        let witness = try connection(server)
        kill(process, SIGKILL)
        try wait(for: "the server's end", seconds: 60) { (try? witness.rows("SELECT 1")) == nil }
        try wait(for: "the server's recovery", seconds: 60) { (try? ServerConnection(server.url())) != nil }
    }
}
