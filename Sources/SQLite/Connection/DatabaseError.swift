import CSQLite

/// A call of SQLite's C interface that failed.
package struct DatabaseError: Error, Equatable {
    /// The extended result code; sqlite.org/rescode.html.
    package let code: CInt
    package let message: String

    package init(code: CInt, message: String) {
        self.code = code
        self.message = message
    }

    /// What `connection` says of the call that has just returned `code`; without one, what the code says.
    package init(_ code: CInt, of connection: OpaquePointer?) {
        self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
        message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
    }

    /// Whether a constraint of the schema, a foreign key or a trigger says no.
    package var isConstraint: Bool { code & 0xFF == SQLITE_CONSTRAINT }
}
