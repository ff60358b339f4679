import Foundation
import TestSupport

/// An app with a PostgreSQL database: random transactions in one session, and another one that keeps rows locked.
final class ServerApp: BusyApp {
    typealias Failure = ServerConnectionError

    private let database: PostgreSQLDatabase
    private let role: String
    private let connection: ServerConnection
    private let other: ServerConnection
    private var rows: HeldRows?
    private var migration: Migration?
    private(set) var disturbances = 0
    var app: RandomApp

    init(on server: PostgreSQLServer, using generator: SeededGenerator) throws {
        app = RandomApp(of: .server, using: generator)
        let owner = try server.createRole()
        role = try server.createRole()
        database = try server.createDatabase(
            """
            ALTER SCHEMA public OWNER TO \(owner);
            ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) GRANT ALL ON TABLES TO \(role);
            GRANT pg_signal_backend TO \(owner)
            """, owner: owner)
        connection = try ServerConnection(database.url(user: owner))
        other = try ServerConnection(database.url(user: owner))
        try connection.execute(app.tables.schema)
    }

    /// A run fails where the schema does not fit, or its connection is ended.
    static let disturbed: [Int32] = [0, 1, 74, 75]
    static let lockTimes = ["50ms", "200ms", "1s"]

    var store: String { "url = \"\(database.url(user: role))\"" }
    var commitsSeen: Int { 0 }
    var isMigrating: Bool { migration != nil }

    func act() throws {
        switch Int.random(in: 0..<1000, using: &app.generator) {
        case 0...2: try maintain()
        case 3...7: try migrate()
        case 8...15 where try migration == nil && isBesideRun: try migrate()
        case 8...24: try app.arrive(Int.random(in: 5...50, using: &app.generator), on: connection)
        case 25...400: try app.change(on: connection)
        case 401...430:
            // What another transaction has changed meanwhile makes this one fail.
            try app.transact(on: connection, begin: "BEGIN ISOLATION LEVEL REPEATABLE READ") {
                ($0 as? ServerConnectionError)?.state == "40001"
            }
        case 431...460: try release() ?? hold()
        default: try app.transact(on: connection)
        }
    }

    /// Whether a run has a connection: what happens now happens between two of its batches.
    private var isBesideRun: Bool {
        get throws {
            try !connection.rows("SELECT 1 FROM pg_stat_activity WHERE usename = '\(role)'").isEmpty
        }
    }

    func arrive(_ count: Int) throws { try app.arrive(count, on: connection) }

    /// The other session begins to keep rows.
    private func hold() throws { rows = try HeldRows(in: &app, on: other) }

    /// It ends that; nil: it has none.
    private func release() throws -> Void? {
        guard let rows else { return nil }
        self.rows = nil
        return try rows.release(&app, on: other)
    }

    private func maintain() throws {
        // What follows would wait for the other session.
        _ = try release()
        disturbances += 1
        switch Int.random(in: 0..<10, using: &app.generator) {
        case 0: try connection.execute("VACUUM \(app.item)")
        case 1: try connection.execute("VACUUM FULL \(app.item)")
        case 2: try connection.execute("CLUSTER \(app.item) USING item_pkey")
        case 3: try connection.execute("REINDEX TABLE \(app.item)")
        case 4: try connection.execute("ANALYZE")
        case 5: try connection.execute("TRUNCATE trail")
        case 6:
            try connection.execute("CREATE INDEX CONCURRENTLY IF NOT EXISTS item_feed ON \(app.item) (feed)")
        case 7:
            try connection.execute("DROP INDEX CONCURRENTLY IF EXISTS item_feed")
            try connection.execute("DROP INDEX CONCURRENTLY IF EXISTS item_received")
        case 8:
            let call = Bool.random(using: &app.generator) ? "pg_terminate_backend" : "pg_cancel_backend"
            try connection.execute("SELECT \(call)(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
        default:
            let mode =
                ["SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE"].randomElement(using: &app.generator) ?? "SHARE"
            try connection.execute(
                "BEGIN; LOCK TABLE \(app.item) IN \(mode) MODE; SELECT pg_sleep(0.03); COMMIT")
        }
    }

    private func migrate() throws {
        _ = try release()
        disturbances += 1
        let begin = "BEGIN; LOCK TABLE \(app.item) IN ACCESS EXCLUSIVE MODE"
        if let migration {
            // Nothing may have gone meanwhile.
            try app.compare(on: connection, with: begin) { migration.end(&$0, .server) }
            self.migration = nil
        } else if app.chance(4) {
            try connection.execute("ALTER TABLE item ADD COLUMN spare\(disturbances) text DEFAULT 'x'")
        } else {
            let kind = Migration.allCases.randomElement(using: &app.generator) ?? .trigger
            try app.compare(on: connection, with: begin) { kind.begin(&$0, .server) }
            migration = kind
        }
    }

    func compare() throws { try app.compare(on: connection, with: connection.beginReading) }

    func settle() throws {
        _ = try release()
        if migration != nil { try migrate() }
    }

    /// Children without their rows; the rest is the server's to keep.
    func health() throws -> [String] {
        try connection.rows("SELECT item FROM child WHERE item NOT IN (SELECT id FROM item)")
            .map { "a child of \($0[0]) is left" }
    }
}
