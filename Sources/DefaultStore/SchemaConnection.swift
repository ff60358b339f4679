import CSQLite

/// SQLite's error for a failed step.
package struct SQLiteFailure: Error {
    /// Its primary result code.
    package let code: CInt
    package let message: String

    package init(code: CInt, message: String) {
        (self.code, self.message) = (code, message)
    }
}

/// A connection that is used only to create a store.
final class SchemaConnection {
    private var handle: OpaquePointer?

    /// Opens the existing file at `path`. `patience` is how long to wait for a lock.
    init(path: String, patience: Duration) throws(SQLiteFailure) {
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        do {
            try check(code)
            sqlite3_busy_timeout(handle, CInt(patience.components.seconds * 1_000))
        } catch {
            sqlite3_close_v2(handle)
            throw error
        }
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws(SQLiteFailure) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// The first value of a query's first row; nil if there is none. The query is run to its end: `PRAGMA journal_mode` tells
    /// the new mode before it commits.
    func value(_ sql: String) throws(SQLiteFailure) -> String? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        var (value, code) = (nil as String?, sqlite3_step(statement))
        if code == SQLITE_ROW { value = sqlite3_column_text(statement, 0).map { String(cString: $0) } }
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        try check(code == SQLITE_DONE ? SQLITE_OK : code)
        return value
    }

    func number(_ sql: String) throws(SQLiteFailure) -> Int32 { try value(sql).flatMap { Int32($0) } ?? 0 }

    /// Runs `body` in a transaction, which is rolled back if `body` throws.
    func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    private func check(_ code: CInt) throws(SQLiteFailure) {
        guard code != SQLITE_OK else { return }
        let message = handle.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        throw SQLiteFailure(code: code & 0xFF, message: message.map { String(cString: $0) } ?? "")
    }
}
