import CSQLite

/// A compiled SQL statement.
package final class Statement {
    /// For functions of the C interface that this type does not offer.
    package let handle: OpaquePointer

    /// Compiles the first statement of `sql`, for repeated use.
    package init(_ sql: String, on connection: OpaquePointer?) throws(DatabaseError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw DatabaseError(code, of: connection) }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds the values to the parameters of the same names, without the colon. A parameter without a value becomes
    /// NULL. Values without a parameter are ignored.
    package func bind(_ values: [String: DatabaseValue]) throws(DatabaseError) {
        for index in 0..<sqlite3_bind_parameter_count(handle) {
            let name = sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0 + 1) }
            let value = name.flatMap { values[$0] } ?? .null
            let code = value.bind(to: index + 1, of: handle)
            guard code == SQLITE_OK else { throw DatabaseError(code, of: sqlite3_db_handle(handle)) }
        }
    }

    /// Advances to the next row. Returns false if there is none and the statement is complete.
    package func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        guard code != SQLITE_ROW else { return true }
        guard code == SQLITE_DONE else { throw DatabaseError(code, of: sqlite3_db_handle(handle)) }
        return false
    }

    /// The current row.
    package var row: Row {
        (0..<columnCount).map { DatabaseValue(column: $0, of: handle) }
    }

    /// The number of values of each row.
    package var columnCount: CInt { sqlite3_column_count(handle) }

    /// Ends the statement. A statement that stays at a row leaves its read transaction open, and so prevents a restart
    /// of the write-ahead log.
    package func reset() {
        sqlite3_reset(handle)  // returns the code of the last step
    }
}
