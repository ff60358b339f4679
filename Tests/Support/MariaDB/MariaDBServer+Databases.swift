import Foundation

extension MariaDBServer {
    /// A connection URI by way of the socket.
    package func url(database: String = "", user: String = "root") -> String {
        let encoded = PostgreSQLServer.encoded
        return "mariadb://\(encoded(user))@localhost/\(encoded(database))?socket=\(encoded(socket))"
    }

    /// The same by way of 127.0.0.1; nil unless it listens there.
    package func loopbackURL(database: String = "", user: String = "root") -> String? {
        let encoded = PostgreSQLServer.encoded
        return port.map { "mariadb://\(encoded(user))@127.0.0.1:\($0)/\(encoded(database))" }
    }

    /// Runs statements by the real client, in one session, and returns the rows of all of them in turn; NULL is nil. Each is
    /// a transaction of its own unless they say otherwise. Throws at the first error.
    ///
    /// As always with this client, a statement ends at a semicolon unless a line says `DELIMITER`. A zero byte in a text is
    /// read as a space: `HEX` tells them apart. Throws ``ServerDied`` if the server has ended by itself.
    @discardableResult
    package func run(
        _ sql: String, database: String = "", user: String = "root", seconds: Double = 120
    ) throws -> [[String?]] {
        let ended = try clientProgram(database: database, user: user).run(sql, seconds: seconds)
        if ended.status != 0, hasDied { throw ServerDied(log: String(log.suffix(8_000))) }
        return ClientOutput.rows(try ended.checked().output)
    }

    /// The client, which answers in XML.
    package func clientProgram(database: String, user: String = "root") throws -> Program {
        Program([
            try MariaDBPrograms.needed.path("mariadb"), "--no-defaults", "--socket=\(socket)",
            "--user=\(user)", "--default-character-set=utf8mb4", "--xml",
            "--database=\(database)",
        ])
    }

    /// An empty database of a test's own; dropped with the object.
    package func createDatabase(_ sql: String = "") throws -> MariaDBDatabase {
        let name = PostgreSQLServer.uniqueName("db")
        try run("CREATE DATABASE \(name)")
        let database = MariaDBDatabase(server: self, name: name)
        if !sql.isEmpty { try database.run(sql) }
        return database
    }

    /// A session that stays.
    package func client(database: String = "", user: String = "root") throws -> MariaDBClient {
        try MariaDBClient(self, database: database, user: user)
    }

    /// A user of a test's own that may log in without a password and nothing else, and its name.
    package func createUser() throws -> String {
        let name = PostgreSQLServer.uniqueName("user")
        try run("CREATE USER \(name)@localhost")
        return name
    }

    /// Whether the statement that the connection `id` is at waits for a row that another one has locked.
    package func isWaitingForRow(_ id: Int) throws -> Bool {
        try run(
            "SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = \(id) AND trx_state = 'LOCK WAIT'"
        ).isEmpty == false
    }
}
