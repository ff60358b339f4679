import GRDBSQLite

/// A compiled SQL statement.
final class Statement {
    private let handle: OpaquePointer

    /// Compiles the first statement of `sql`, to be run more than once.
    init(_ sql: String, on connection: OpaquePointer?) throws(DatabaseError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw DatabaseError(code, of: connection) }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds to each parameter the value of its name, which is written without the colon; NULL where there is none.
    /// Values that the statement has no parameter for are left out.
    func bind(_ values: [String: DatabaseValue]) throws(DatabaseError) {
        for index in 0..<sqlite3_bind_parameter_count(handle) {
            let name = sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0 + 1) }
            let value = name.flatMap { values[$0] } ?? .null
            let code = value.bind(to: index + 1, of: handle)
            guard code == SQLITE_OK else { throw DatabaseError(code, of: sqlite3_db_handle(handle)) }
        }
    }

    /// The next row; nil when there is none, and everything is done.
    func step() throws(DatabaseError) -> Row? {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW:
            return (0..<sqlite3_column_count(handle)).map { DatabaseValue(column: $0, of: handle) }
        case SQLITE_DONE: return nil
        default: throw DatabaseError(code, of: sqlite3_db_handle(handle))
        }
    }

    /// Appends the next row to `bytes`, exactly as it is stored in a database whose text is UTF-8. False when there is
    /// none, and everything is done.
    func appendRow(to bytes: inout [UInt8]) throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        guard code == SQLITE_ROW else {
            guard code == SQLITE_DONE else { throw DatabaseError(code, of: sqlite3_db_handle(handle)) }
            return false
        }
        for column in 0..<sqlite3_column_count(handle) {
            RowEncoding.append(column: column, of: handle, to: &bytes)
        }
        return true
    }

    /// Ends the statement where it stands: one that is left at a row keeps its read transaction open, and the
    /// write-ahead log from starting anew.
    func reset() {
        sqlite3_reset(handle)  // what it returns is what the last step returned
    }
}
