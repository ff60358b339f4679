/// A database of a test's own, dropped with this object.
package final class PostgreSQLDatabase: Sendable {
    package let server: PostgreSQLServer
    package let name: String

    init(server: PostgreSQLServer, name: String) {
        self.server = server
        self.name = name
    }

    deinit {
        guard server.processID != nil else { return }
        // No standby is waited for, as it may be gone.
        _ = try? server.psql(
            "DROP DATABASE IF EXISTS \(name) WITH (FORCE)", settings: ["synchronous_commit": "local"],
            seconds: 20)
    }

    /// A connection URI by way of the server's socket.
    package var url: String { url() }
    package func url(user: String = "postgres") -> String { server.url(database: name, user: user) }

    /// As ``PostgreSQLServer/psql(_:database:user:settings:seconds:)``.
    @discardableResult
    package func psql(
        _ sql: String, user: String = "postgres", settings: [String: String] = [:]
    ) throws -> String {
        try server.psql(sql, database: name, user: user, settings: settings)
    }

    /// A session that stays, for transactions that are left open.
    package func session(user: String = "postgres") throws -> PsqlSession {
        try server.session(database: name, user: user)
    }
}
