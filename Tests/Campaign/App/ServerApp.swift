import Foundation
import TestSupport

/// An app with a database on a server: random transactions in one session, and another one that keeps rows locked.
final class ServerApp<Kind: ServerKind>: BusyApp {
    typealias Failure = ServerConnectionError

    private let database: ServerDatabase<Kind.Session>
    private let connection: Kind.Session
    private let other: Kind.Session
    private var rows: HeldRows?
    private var migration: Migration?
    private(set) var disturbances = 0
    var app: RandomApp

    init(using generator: SeededGenerator) throws {
        app = RandomApp(of: Kind.store, using: generator)
        database = try Kind.makeDatabase()
        connection = try database.connect()
        other = try database.connect()
        try connection.execute(app.tables.schema)
    }

    /// A run fails where the schema does not fit, or its connection is ended.
    static var disturbed: [Int32] { [0, 1, 74, 75] }
    static var lockTimes: [String] { ["50ms", "200ms", "1s"] }

    var store: String { "url = \"\(database.url)\"" }
    var commitsSeen: Int { 0 }
    var isMigrating: Bool { migration != nil }

    func act() throws {
        switch Int.random(in: 0..<1000, using: &app.generator) {
        case 0...2: try maintain()
        case 3...7: try migrate()
        case 8...15 where try migration == nil && isBesideRun: try migrate()
        case 8...24: try app.arrive(Int.random(in: 5...50, using: &app.generator), on: connection)
        case 25...400: try app.change(on: connection)
        case 401...430: try app.transact(on: connection, begin: connection.beginRepeatable)
        case 431...460: try release() ?? hold()
        default: try app.transact(on: connection)
        }
    }

    /// Whether a run has a connection: what happens now happens between two of its batches.
    private var isBesideRun: Bool {
        get throws { try !connection.rows(connection.sessions(of: database.role)).isEmpty }
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
        let all = try connection.maintenance(of: app.item, database.role)
        try connection.execute(all.randomElement(using: &app.generator) ?? "")
    }

    private func migrate() throws {
        _ = try release()
        disturbances += 1
        let lock = connection.lock(app.item)
        let unlock = { [connection] (change: String) in "\(change); \(connection.unlock)" }
        if let migration {
            // Nothing may have gone meanwhile.
            try app.compare(on: connection, with: lock) { unlock(migration.end(&$0, Kind.store)) }
            self.migration = nil
        } else if app.chance(4) {
            try connection.execute("ALTER TABLE item ADD COLUMN spare\(disturbances) text DEFAULT 'x'")
        } else {
            let kind = Migration.allCases.randomElement(using: &app.generator) ?? .trigger
            try app.compare(on: connection, with: lock) { unlock(kind.begin(&$0, Kind.store)) }
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
