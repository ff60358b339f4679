/// A database of a test's own, dropped with this object.
package final class MariaDBDatabase: Sendable {
    package let server: MariaDBServer
    package let name: String

    init(server: MariaDBServer, name: String) {
        self.server = server
        self.name = name
    }

    deinit {
        guard server.processID != nil else { return }
        // A session that a test has left behind may still use a table, and tables may refer to each other.
        _ = try? server.run(
            "SET SESSION lock_wait_timeout = 10, foreign_key_checks = 0; DROP DATABASE IF EXISTS \(name)",
            seconds: 20)
    }

    /// A connection URI by way of the server's socket.
    package var url: String { url() }
    package func url(user: String = "root") -> String { server.url(database: name, user: user) }

    /// As ``MariaDBServer/run(_:database:user:seconds:)``.
    @discardableResult
    package func run(_ sql: String, user: String = "root", seconds: Double = 120) throws -> [[String?]] {
        try server.run(sql, database: name, user: user, seconds: seconds)
    }

    /// A session that stays, for transactions that are left open.
    package func client(user: String = "root") throws -> MariaDBClient {
        try server.client(database: name, user: user)
    }

    /// A user of a test's own with `rights` on all tables of the database, such as `SELECT, DELETE`, and its name.
    package func createUser(_ rights: String) throws -> String {
        let user = try server.createUser()
        try server.run("GRANT \(rights) ON \(name).* TO \(user)@localhost")
        return user
    }
}
