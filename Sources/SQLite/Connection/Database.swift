import CSQLite

/// One SQLite connection. Its statements stay compiled until it is closed.
///
/// It does without SQLite's own mutex, so only one thread at a time may use it.
package final class Database {
    /// For functions of the C interface that this type does not offer; nil when closed.
    package private(set) var handle: OpaquePointer?
    private var statements: [StatementText: Statement] = [:]
    private var knownEncoding: UInt8?
    /// The URI with which it was opened.
    package let uri: String
    /// The directory of its file, if SQLite knows the file by ``StoreDirectory/path(of:)``.
    package let directory: StoreDirectory?
    package let busyTimeout: CInt
    /// Nobody can switch an open database back from WAL mode.
    package private(set) var isKnownAsWAL = false
    package private(set) var openLogReset: LogReset?

    /// Opens the file that `uri` names, with foreign keys enforced. `busyTimeout` is how long SQLite waits for a lock,
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
            // Otherwise SQLite reads an unknown "name" as a string.
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

    /// Closes the connection. A second call does nothing.
    package func close() {
        openLogReset = nil
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// All rows of a query, with `values` as its parameters; see ``Statement/bind(_:)``.
    package func rows(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        try eachStep(sql, values) { statement throws(DatabaseError) in rows.append(statement.row) }
        return rows
    }

    /// Calls `body` for each row of a query, with the statement at that row.
    package func eachStep(
        _ sql: String, _ values: [String: DatabaseValue] = [:],
        _ body: (Statement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() { try body(statement) }
    }

    /// The first row of a query; nil if there is none.
    package func row(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) -> Row? {
        try rows(sql, values).first
    }

    /// The first value of a query's first row; NULL if there is none.
    package func value(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError)
        -> DatabaseValue
    {
        try row(sql, values)?.first ?? .null
    }

    /// Runs a statement to its end.
    package func execute(_ sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) {
        _ = try rows(sql, values)
    }

    /// The encoding of text in the database: `SQLITE_UTF8`, `SQLITE_UTF16LE` or `SQLITE_UTF16BE`. It does not change.
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

    /// The number of bytes at the end of each page that SQLite itself does not use; sqlite.org/fileformat.html#resbyte.
    package func reservedBytes() throws(DatabaseError) -> CInt {
        _ = try schemaVersion()  // known only after a page was read
        var count: CInt = -1
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
        return count
    }

    /// Whether it was opened only to read, whatever was asked for.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether it has a write-ahead log. An app may switch to one at any time.
    package func isWAL() throws(DatabaseError) -> Bool {
        if !isKnownAsWAL { isKnownAsWAL = try value("PRAGMA journal_mode").string == "wal" }
        return isKnownAsWAL
    }

    /// The same by the file's header, for a database that was opened without locks. SQLite reports another mode for it.
    /// See sqlite.org/fileformat.html#file_format_version_numbers.
    package func isMadeForWAL() throws(DatabaseError) -> Bool {
        _ = try schemaVersion()
        var version: UInt8 = 0
        guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return false }
        let code = read(file, &version, 1, 18)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
        return version == 2
    }

    /// Prevents resets of its log at the wrong time; see ``LogReset``.
    package func logReset() throws(DatabaseError) -> LogReset {
        if let openLogReset { return openLogReset }
        let opened = try LogReset(of: self)
        openLogReset = opened
        return opened
    }

    /// SQLite's file object of the database, for operations that only SQLite's file layer has; nil when closed.
    package var file: UnsafeMutablePointer<sqlite3_file>? {
        guard let handle else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file
    }

    /// The declared type and collation of a column; empty if the schema declares none.
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
        let text = StatementText(sql: sql)
        if let known = statements[text] { return known }
        let statement = try Statement(sql, on: handle)
        statements[text] = statement
        return statement
    }

    /// The rowid of the row that was last inserted.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
    /// The number of rows that the last statement changed, without those that foreign keys and triggers changed.
    package var changes: Int64 { sqlite3_changes64(handle) }
    /// The number of rows that the connection has changed.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }
}
