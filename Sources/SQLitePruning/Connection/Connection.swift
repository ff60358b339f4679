import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

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
    private static let busyTimeoutMilliseconds: CInt = 50

    let path: String
    let file: StoreFile
    let database: Database
    /// What was opened.
    let identity: FileIdentity
    let progress: ProgressHandler

    /// Opens the store at `path`, once nothing speaks against that; see ``StoreFile``.
    init(_ access: Access, path: String, control: RunControl) throws(StoreError) {
        self.path = path
        let file = try StoreFile(path: path)
        self.file = file
        identity = try (access == .write ? file.checkWritable() : file.checkReadable()).identity
        let progress = ProgressHandler(control)
        self.progress = progress
        database = try SQLiteFailure(operation: "open the store", place: path).translating {
            let db = try Database(
                uri: Self.uri(access, file.pathForSQLite), in: file.directory,
                isReadOnly: access != .write, busyTimeout: Self.busyTimeoutMilliseconds)
            progress.install(on: db)
            try db.execute("PRAGMA cell_size_check = ON")
            if access == .write {
                try Self.prepareWriting(db)
                try Self.refuseReservedBytes(db, path: path)
            }
            return db
        }
    }

    private static func prepareWriting(_ db: Database) throws {
        // What a deleted row leaves is overwritten where that costs no extra write.
        try db.execute("PRAGMA secure_delete = FAST")
        try db.execute("PRAGMA wal_autocheckpoint = 0")
        // In KiB. Scattered keys reach all over an index: its inner pages should stay.
        try db.execute("PRAGMA cache_size = -4096")
        // In WAL mode NORMAL keeps the store whole through a power cut; a rollback journal needs FULL for that.
        try db.execute("PRAGMA synchronous = \(db.isWAL() ? "NORMAL" : "FULL")")
    }

    /// Bytes at the end of each page are an extension's of the app's, such as checksums. What is written without it has none,
    /// and the app takes it for damaged.
    static func refuseReservedBytes(_ db: Database, path: String) throws {
        let count = try db.reservedBytes()
        guard count > 0 else { return }
        throw StoreError(
            .unsupported, operation: "open the store", place: path,
            cause:
                "its app reserves \(count) bytes of each page for an extension (checksums, encryption)"
                + " that pruned does not have",
            hint: "such a store can only be pruned by its app")
    }

    /// SQLite's name for the file at `path`, opened for `access`.
    private static func uri(_ access: Access, _ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-".utf8)
        let digits = Array("0123456789ABCDEF")
        let escaped = path.utf8.map { byte in
            plain.contains(byte)
                ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
        return "file:\(escaped.joined())?mode=\(access.rawValue)"
    }

    /// Runs `body` on the connection, outside any transaction. `rule`: the one for which.
    func perform<Result>(
        _ operation: String, of rule: RetentionRule? = nil, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try perform(StoreWork(operation, place: path, rule: rule), body)
    }

    /// The same of `work`.
    func perform<Result>(
        _ work: StoreWork, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        progress.begin(work)
        defer { progress.end() }
        return try SQLiteFailure(operation: work.operation, place: path).translating {
            try body(database)
        }
    }

    func close() {
        database.close()
    }
}
