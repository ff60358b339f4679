import Foundation

extension PostgreSQLServer {
    /// A connection URI by way of the socket.
    package func url(database: String = "postgres", user: String = "postgres") -> String {
        Self.url(in: directory.path, port: port, database: database, user: user)
    }

    /// The same by way of 127.0.0.1, where it listens there.
    package func loopbackURL(database: String = "postgres", user: String = "postgres") -> String {
        "postgresql://\(Self.encoded(user))@127.0.0.1:\(port)/\(Self.encoded(database))"
    }

    static func url(in directory: String, port: Int, database: String, user: String) -> String {
        "postgresql://\(encoded(user))@/\(encoded(database))?host=\(encoded(directory))"
            + (port == 5432 ? "" : "&port=\(port)")
    }

    static func encoded(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    /// Runs statements by the real psql, each in a transaction of its own unless they say otherwise, and returns the rows,
    /// columns with a `|` between them. Throws at the first error.
    @discardableResult
    package func psql(
        _ sql: String, database: String = "postgres", user: String = "postgres",
        settings: [String: String] = [:], seconds: Double = 120
    ) throws -> String {
        try psqlProgram(database: database, user: user, settings: settings).answer(
            to: sql, seconds: seconds)
    }

    func psqlProgram(database: String, user: String, settings: [String: String]) throws -> Program {
        var program = Program([
            try PostgreSQLPrograms.path("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
            url(database: database, user: user),
        ])
        program.environment["PGOPTIONS"] = settings.map { "-c \($0.key)=\($0.value)" }.joined(separator: " ")
        return program
    }

    /// An empty database of a test's own; dropped with the object.
    package func createDatabase(_ sql: String = "", owner: String? = nil) throws -> PostgreSQLDatabase {
        let name = Self.uniqueName("db")
        try psql("CREATE DATABASE \(name) TEMPLATE template0" + (owner.map { " OWNER \"\($0)\"" } ?? ""))
        let database = PostgreSQLDatabase(server: self, name: name)
        if !sql.isEmpty { try database.psql(sql) }
        return database
    }

    /// A session that stays.
    package func session(database: String = "postgres", user: String = "postgres") throws -> PsqlSession {
        try PsqlSession(self, database: database, user: user)
    }

    /// A role of a test's own that may log in and nothing else, and its name.
    package func createRole(_ options: String = "") throws -> String {
        let name = Self.uniqueName("role")
        try psql("CREATE ROLE \(name) LOGIN \(options)")
        return name
    }

    static func uniqueName(_ kind: String) -> String {
        "\(kind)_" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(16)
    }
}
