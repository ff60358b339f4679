import Foundation
import GRDB
import GRDBSQLite
import Pruning

/// One SQLite connection of a context.
///
/// The path goes to SQLite as a URI with every special character escaped, because only a URI can say "never create
/// the file" and because Debian's SQLite reads URI parameters in plain paths too.
struct Connection {
    enum Access: String {
        /// Read, with SQLite's locks.
        case read = "ro"
        /// Read a file that nobody has open, leaving nothing beside it.
        case readUntouched = "ro&immutable=1"
        /// Read and write what exists.
        case write = "rw"
    }

    /// How long SQLite itself waits for a lock. A COMMIT in rollback-journal mode that waits for readers keeps new
    /// readers out, so it must give up soon; patience is the caller's.
    static let busyTimeout: TimeInterval = 0.05

    let path: String
    let queue: DatabaseQueue
    let progress: ProgressHandler

    init(_ access: Access, path: String, control: RunControl) throws(StoreError) {
        self.path = path
        // Kept alive by the closure below, which the connection keeps.
        let progress = ProgressHandler(control: control)
        self.progress = progress
        var configuration = Configuration()
        configuration.readonly = access != .write
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.qos = .default  // GRDB's own is a negative nice value, which takes a privilege
        configuration.prepareDatabase { db in
            progress.install(on: db)
            try db.execute(sql: "PRAGMA cell_size_check = ON")
            if access == .write { try Self.prepareWriting(db) }
        }
        let failure = SQLiteFailure(operation: "open the store", place: path)
        queue = try failure.translating {
            try DatabaseQueue(path: Self.uri(access, path), configuration: configuration)
        }
    }

    private static func prepareWriting(_ db: Database) throws {
        // What a deleted row leaves is overwritten where that costs no extra write.
        try db.execute(sql: "PRAGMA secure_delete = FAST")
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        // In KiB. Scattered keys reach all over an index: its inner pages should stay.
        try db.execute(sql: "PRAGMA cache_size = -4096")
        let isWAL = try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal"
        // In WAL mode NORMAL keeps the store whole through a power cut; a rollback journal needs FULL for that.
        try db.execute(sql: "PRAGMA synchronous = \(isWAL ? "NORMAL" : "FULL")")
    }

    /// SQLite's name for the file at `path`, opened for `access`.
    static func uri(_ access: Access, _ path: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
        return "file:\(escaped)?mode=\(access.rawValue)"
    }

    /// Runs `body` on the connection, outside any transaction.
    func perform<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try SQLiteFailure(operation: operation, place: path).translating {
            try queue.writeWithoutTransaction(body)
        }
    }

    /// A connection that cannot be closed ends with the process, and the kernel takes back its locks.
    func close() {
        try? queue.close()
    }
}
