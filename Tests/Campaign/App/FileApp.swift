import Foundation
import TestSupport

/// An app with a SQLite store: random transactions, and now and then what an app does to the file as a whole.
final class FileApp: BusyApp {
    typealias Failure = StoreFileError

    private let path: String
    private var connection: StoreFile
    /// Keeps a read transaction open for a while.
    private var reader: StoreFile?
    private var migration: Migration?
    var app: RandomApp
    /// How many transactions of others this app has seen between its own.
    private(set) var commitsSeen = 0
    private(set) var disturbances = 0
    private var version = ""
    private var spareColumns = 0

    init(_ path: String, using generator: SeededGenerator) throws {
        self.path = path
        app = RandomApp(of: .file, using: generator)
        connection = try StoreFile(path)
        let mode =
            ["WAL", "WAL", "DELETE", "TRUNCATE", "PERSIST"].randomElement(using: &app.generator) ?? "WAL"
        let vacuum = Bool.random(using: &app.generator) ? "INCREMENTAL" : "NONE"
        let size = [1024, 4096, 16384].randomElement(using: &app.generator) ?? 4096
        try connection.execute(
            "PRAGMA page_size = \(size); PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(mode)")
        try open()
        try connection.execute(app.tables.schema)
    }

    /// A run fails where the schema does not fit, and is skipped while the app has the file to itself.
    static let disturbed: [Int32] = [0, 1, 75]
    static let lockTimes = ["3ms", "10ms", "30ms"]

    var store: String { "path = \"\(path)\"" }
    var isMigrating: Bool { migration != nil }

    private func open() throws {
        connection = try StoreFile(path)
        let synchronous = Bool.random(using: &app.generator) ? "OFF" : "NORMAL"
        try connection.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = \(synchronous)")
        version = ""
    }

    /// One transaction, or something else that an app does.
    func act() throws {
        switch Int.random(in: 0..<1000, using: &app.generator) {
        case 0...1: try maintain()
        case 2: try migrate()
        case 3...30: try app.arrive(Int.random(in: 5...50, using: &app.generator), on: connection)
        case 31...400: try app.change(on: connection)
        case 401...430:
            // What it has read may have changed before it writes.
            try app.transact(on: connection, begin: "BEGIN")
        default: try app.transact(on: connection)
        }
        let seen = try connection.rows("PRAGMA data_version")[0][0]
        if seen != version, !version.isEmpty { commitsSeen += 1 }
        version = seen
    }

    func arrive(_ count: Int) throws { try app.arrive(count, on: connection) }

    private func maintain() throws {
        switch Int.random(in: 0..<9, using: &app.generator) {
        case 0:
            reader = nil
            try connection.execute("VACUUM")
        case 1: try connection.execute("ANALYZE")
        case 2, 3:
            reader = nil
            let kind =
                ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &app.generator) ?? "FULL"
            try connection.execute("PRAGMA wal_checkpoint(\(kind))")
        case 4: try switchJournal()
        case 5: try connection.execute("PRAGMA incremental_vacuum(50)")
        case 6: try hold()
        default:
            // The next one is there first, or the last one takes the log away.
            if Bool.random(using: &app.generator) {
                try open()
            } else {
                reader = nil
                connection = try StoreFile(":memory:")
                try open()
            }
        }
    }

    /// Only the one connection to a store may leave or enter WAL mode.
    private func switchJournal() throws {
        reader = nil
        let mode = ["WAL", "DELETE", "TRUNCATE", "PERSIST"].randomElement(using: &app.generator) ?? "WAL"
        do {
            try connection.execute("PRAGMA journal_mode = \(mode)")
        } catch let error as StoreFileError where error.isBusy {
        }
    }

    /// A long read. Without a write-ahead log it would keep the app itself from writing.
    private func hold() throws {
        reader = nil
        guard try connection.texts("PRAGMA journal_mode") == ["wal"] else { return }
        reader = try StoreFile(path)
        try reader?.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    }

    private func migrate() throws {
        disturbances += 1
        if let migration {
            // Nothing may have gone meanwhile.
            try app.compare(on: connection, with: connection.begin, then: { migration.end(&$0, .file) })
            self.migration = nil
            return
        }
        switch Int.random(in: 0..<6, using: &app.generator) {
        case 0:
            spareColumns += 1
            try connection.execute("ALTER TABLE item ADD COLUMN spare\(spareColumns) text DEFAULT 'x'")
        case 1: try connection.execute("CREATE INDEX IF NOT EXISTS item_feed ON item (feed, received)")
        case 2: try connection.execute("DROP INDEX IF EXISTS item_feed; DROP INDEX IF EXISTS item_received")
        default:
            let kind = Migration.allCases.randomElement(using: &app.generator) ?? .trigger
            try app.compare(on: connection, with: connection.begin, then: { kind.begin(&$0, .file) })
            migration = kind
        }
    }

    func compare() throws { try app.compare(on: connection, with: connection.beginReading) }

    /// Ends what is open, so that the rule fits again.
    func settle() throws {
        reader = nil
        if migration != nil { try migrate() }
    }

    /// What SQLite says of the file.
    func health() throws -> [String] {
        let answers =
            try connection.texts("PRAGMA integrity_check") + connection.texts("PRAGMA foreign_key_check")
        return answers.filter { $0 != "ok" }
    }
}

extension StoreFileError {
    /// Whether a lock of another connection was in the way.
    var isBusy: Bool { [5, 6].contains(code & 0xff) }
}
