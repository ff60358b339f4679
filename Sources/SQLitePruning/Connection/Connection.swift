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
        /// Reads, with SQLite's locks.
        case read = "ro"
        /// Reads a file that no process has open, and creates no files beside it.
        case readUntouched = "ro&immutable=1"
        /// Reads and writes an existing file.
        case write = "rw"
    }

    /// How long SQLite itself waits for a lock. In rollback-journal mode a COMMIT that waits for readers blocks new
    /// readers, so it must give up soon. The caller tries again.
    private static let busyTimeoutMilliseconds: CInt = 50

    let path: String
    let file: StoreFile
    let database: Database
    /// The file that was opened.
    let identity: FileIdentity
    /// Why SQLite may create no file beside the store; nil if it may.
    let ownersRefusal: StoreError?
    let progress: ProgressHandler

    /// Opens the store at `path` if the checks of ``StoreFile`` pass.
    init(_ access: Access, path: String, control: RunControl) throws(StoreError) {
        self.path = path
        let file = try StoreFile(path: path)
        self.file = file
        let facts = try access == .write ? file.checkWritable() : file.checkReadable()
        identity = facts.identity
        ownersRefusal = file.protectOwner(facts)
        let progress = ProgressHandler(control)
        self.progress = progress
        database = try SQLiteFailure(operation: "open the store", place: path).translating {
            let db = try Database(
                uri: Self.uri(access, file.pathForSQLite), in: file.directory,
                isReadOnly: access != .write, busyTimeout: Self.busyTimeoutMilliseconds)
            progress.install(on: db)
            try db.execute("PRAGMA cell_size_check = ON")
            if access == .write {
                try Self.refuseReadOnly(db, path: path)
                try Self.prepareWriting(db)
                try Self.refuseReservedBytes(db, path: path)
            }
            return db
        }
    }

    /// Its owner may have taken the right to write since it was checked. SQLite then opens it to read, and could not remove
    /// the log that it would make.
    private static func refuseReadOnly(_ db: Database, path: String) throws {
        guard db.isReadOnly else { return }
        throw StoreError(
            .inputOutput, operation: "open the store", place: path,
            cause: "the file cannot be written any more",
            hint: "its owner has just taken the right to write; the next run tries again")
    }

    private static func prepareWriting(_ db: Database) throws {
        // Overwrites the content of deleted rows if that costs no extra write.
        try db.execute("PRAGMA secure_delete = FAST")
        try db.execute("PRAGMA wal_autocheckpoint = 0")
        // In KiB. Keys in random order touch pages all over an index, so its inner pages should stay in the cache.
        try db.execute("PRAGMA cache_size = -4096")
        // In WAL mode NORMAL is enough to survive a power cut without damage; a rollback journal needs FULL for that.
        try db.execute("PRAGMA synchronous = \(db.isWAL() ? "NORMAL" : "FULL")")
    }

    /// Reserved bytes at the end of each page belong to an extension of the app, for example for checksums. Without the
    /// extension pruned would write pages without them, and the app would report these as damaged.
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

    /// The URI of the file at `path`, with the mode for `access`.
    private static func uri(_ access: Access, _ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-".utf8)
        let digits = Array("0123456789ABCDEF")
        let escaped = path.utf8.map { byte in
            plain.contains(byte)
                ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
        return "file:\(escaped.joined())?mode=\(access.rawValue)"
    }

    /// Runs `body` on the connection, outside any transaction. `rule` is the rule that needs it.
    func perform<Result>(
        _ operation: String, of rule: RetentionRule? = nil, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try perform(StoreWork(operation, place: path, rule: rule), body)
    }

    /// Runs `body` as `work`.
    func perform<Result>(
        _ work: StoreWork, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        progress.begin(work)
        defer { progress.end() }
        return try SQLiteFailure(operation: work.operation, place: path).translating {
            do {
                return try body(database)
            } catch let error as DatabaseError {
                if let refusal = RefusingTrigger.error(for: error, of: work, in: database) { throw refusal }
                throw error
            }
        }
    }

    func close() {
        database.close()
    }
}
