import CSQLite

/// A compiled SQL statement.
package final class Statement {
    /// For what the C interface offers beyond this.
    package let handle: OpaquePointer

    /// Compiles the first statement of `sql`, to be run more than once.
    package init(_ sql: String, on connection: OpaquePointer?) throws(DatabaseError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw DatabaseError(code, of: connection) }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds to each parameter the value of its name, which is written without the colon; NULL where there is none.
    /// Values that the statement has no parameter for are left out.
    package func bind(_ values: [String: DatabaseValue]) throws(DatabaseError) {
        for index in 0..<sqlite3_bind_parameter_count(handle) {
            let name = sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0 + 1) }
            let value = name.flatMap { values[$0] } ?? .null
            let code = value.bind(to: index + 1, of: handle)
            guard code == SQLITE_OK else { throw DatabaseError(code, of: sqlite3_db_handle(handle)) }
        }
    }

    /// Goes to the next row. False when there is none, and everything is done.
    package func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        guard code != SQLITE_ROW else { return true }
        guard code == SQLITE_DONE else { throw DatabaseError(code, of: sqlite3_db_handle(handle)) }
        return false
    }

    /// The row at which it stands.
    package var row: Row {
        (0..<columnCount).map { DatabaseValue(column: $0, of: handle) }
    }

    /// How many values its rows have.
    package var columnCount: CInt { sqlite3_column_count(handle) }

    /// Ends the statement where it stands: one that is left at a row keeps its read transaction open, and the
    /// write-ahead log from starting anew.
    package func reset() {
        sqlite3_reset(handle)  // what it returns is what the last step returned
    }
}
