import TestSupport

/// A kind of server, on which the same parts are tried.
protocol ServerKind {
    associatedtype Session: ServerSession
    /// What the names of its parts begin with.
    static var name: String { get }
    static var store: StoreKind { get }
    /// What this machine lacks for it; nil when it can be tried.
    static var missing: String? { get }
    /// Starts the one server of all its parts.
    static func start() throws
    /// An empty database there.
    static func makeDatabase() throws -> ServerDatabase<Session>
}

/// A database on a server; gone with the last copy of it.
struct ServerDatabase<Session> {
    /// Whose runs prune it.
    let role: String
    /// Where that role finds it.
    let url: String
    /// Opens a session of the owner's.
    let connect: () throws -> Session
}

enum PostgreSQLKind: ServerKind {
    static let name = "server"
    static let store = StoreKind.postgreSQL
    static var missing: String? { PostgreSQLPrograms.installed == nil ? "PostgreSQL" : nil }

    private static let server = Result {
        var configuration = PostgreSQLConfiguration()
        configuration.dataDirectory = "/dev/shm"
        return try PostgreSQLServer.start(configuration: configuration)
    }

    static func start() throws { _ = try server.get() }

    static func makeDatabase() throws -> ServerDatabase<ServerConnection> {
        let server = try server.get()
        let (owner, role) = (try server.createRole(), try server.createRole())
        let database = try server.createDatabase(
            """
            ALTER SCHEMA public OWNER TO \(owner);
            ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) GRANT ALL ON TABLES TO \(role);
            GRANT pg_signal_backend TO \(owner)
            """, owner: owner)
        return ServerDatabase(role: role, url: database.url(user: role)) {
            try ServerConnection(database.url(user: owner))
        }
    }
}

enum MariaDBKind: ServerKind {
    static let name = "mariadb"
    static let store = StoreKind.mariaDB
    static var missing: String? { MariaDBPrograms.installed == nil ? "MariaDB" : nil }

    private static let server = Result {
        var configuration = MariaDBConfiguration()
        configuration.dataDirectory = "/dev/shm"
        return try MariaDBServer.start(configuration: configuration)
    }

    static func start() throws { _ = try server.get() }

    static func makeDatabase() throws -> ServerDatabase<MariaDBConnection> {
        let server = try server.get()
        let database = try server.createDatabase()
        let role = try database.createUser("SELECT, INSERT, UPDATE, DELETE, TRIGGER")
        try server.run("GRANT PROCESS ON *.* TO \(role)@localhost")
        return ServerDatabase(role: role, url: database.url(user: role)) { try MariaDBConnection(database) }
    }
}
