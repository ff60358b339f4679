import CSQLite

/// One SQLite connection, its statements kept compiled until it is closed.
///
/// SQLite's own lock around a connection is left out, so it is for one thread at a time.
package final class Database {
    /// For what the C interface offers beyond this; nil when closed.
    package private(set) var handle: OpaquePointer?
    private var statements: [String: Statement] = [:]
    private var knownEncoding: UInt8?
    /// With what it was opened.
    package let uri: String
    /// Where its file is, if that is held open: SQLite knows it by that.
    package let directory: StoreDirectory?
    package let busyTimeout: CInt
    /// Nobody turns a database that is open back from WAL mode.
    package private(set) var isKnownAsWAL = false
    package private(set) var openLogReset: LogReset?

    /// Opens the file that `uri` names, with foreign keys in force. `busyTimeout`: how long SQLite waits for a lock,
    /// in milliseconds.
    package init(
        uri: String, in directory: StoreDirectory? = nil, isReadOnly: Bool, busyTimeout: CInt
    ) throws(DatabaseError) {
        FileLayer.install()
        (self.uri, self.directory, self.busyTimeout) = (uri, directory, busyTimeout)
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(uri, &handle, mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        do throws(DatabaseError) {
            guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
            sqlite3_busy_timeout(handle, busyTimeout)
            // Else SQLite reads an unknown "name" as a string.
            for kind in [SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML] {
                _ = sqlite3_db_config_int(handle, kind, 0)
            }
            try execute("PRAGMA foreign_keys = ON")
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Closes the connection; a second time is one too many, and does nothing.
    package func close() {
        openLogReset = nil
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// All rows of a query, with `values` for its parameters; see ``Statement/bind(_:)``.
    package func rows(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        try eachStep(sql, values) { statement throws(DatabaseError) in rows.append(statement.row) }
        return rows
    }

    /// Calls `body` at each row of a query, with the statement that stands there.
    package func eachStep(
        _ sql: String, _ values: [String: DatabaseValue] = [:],
        _ body: (Statement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() { try body(statement) }
    }

    /// The first row of a query; nil when there is none.
    package func row(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) -> Row? {
        try rows(sql, values).first
    }

    /// The first value of a query's first row; NULL when there is none.
    package func value(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError)
        -> DatabaseValue
    {
        try row(sql, values)?.first ?? .null
    }

    /// Runs a statement to its end.
    package func execute(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) {
        _ = try rows(sql, values)
    }

    /// How the database stores text: `SQLITE_UTF8`, `SQLITE_UTF16LE` or `SQLITE_UTF16BE`. It does not change.
    package func textEncoding() throws(DatabaseError) -> UInt8 {
        if let knownEncoding { return knownEncoding }
        let encoding =
            switch try value("PRAGMA encoding").string {
            case "UTF-16le": UInt8(SQLITE_UTF16LE)
            case "UTF-16be": UInt8(SQLITE_UTF16BE)
            default: UInt8(SQLITE_UTF8)
            }
        knownEncoding = encoding
        return encoding
    }

    /// How many bytes at the end of each page are not SQLite's own to use; sqlite.org/fileformat.html#resbyte.
    package func reservedBytes() throws(DatabaseError) -> CInt {
        _ = try schemaVersion()  // it is known once a page was read
        var count: CInt = -1
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
        return count
    }

    /// Whether it has a write-ahead log. An app may turn to one at any time.
    package func isWAL() throws(DatabaseError) -> Bool {
        if !isKnownAsWAL { isKnownAsWAL = try value("PRAGMA journal_mode").string == "wal" }
        return isKnownAsWAL
    }

    /// The same by the file's header, for one that was opened without locks, of which SQLite says otherwise;
    /// sqlite.org/fileformat.html#file_format_version_numbers.
    package func isMadeForWAL() throws(DatabaseError) -> Bool {
        _ = try schemaVersion()
        var version: UInt8 = 0
        guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return false }
        let code = read(file, &version, 1, 18)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
        return version == 2
    }

    /// What the resets of its log are kept in order with.
    package func logReset() throws(DatabaseError) -> LogReset {
        if let openLogReset { return openLogReset }
        let opened = try LogReset(of: self)
        openLogReset = opened
        return opened
    }

    /// SQLite's file object of the database, for what only its file layer does; nil when closed.
    package var file: UnsafeMutablePointer<sqlite3_file>? {
        guard let handle else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file
    }

    /// How the schema declares a column; both are empty where it does not say.
    package func declaration(
        of column: String, in table: String
    ) throws(DatabaseError) -> (type: String, collation: String) {
        var (type, collation): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        let code = sqlite3_table_column_metadata(
            handle, "main", table, column, &type, &collation, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
        return (type.map { String(cString: $0) } ?? "", collation.map { String(cString: $0) } ?? "")
    }

    private func statement(_ sql: String) throws(DatabaseError) -> Statement {
        if let known = statements[sql] { return known }
        let statement = try Statement(sql, on: handle)
        statements[sql] = statement
        return statement
    }

    /// The rowid of the row that was last put into a table.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
    /// The rows that the last statement changed, without those that foreign keys and triggers did.
    package var changes: Int64 { sqlite3_changes64(handle) }
    /// All rows that the connection has changed.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }
}
