import CSQLite

/// A failed call of SQLite's C interface.
package struct DatabaseError: Error, Equatable {
    /// The extended result code; sqlite.org/rescode.html.
    package let code: CInt
    package let message: String

    package init(code: CInt, message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the call on `connection` that has just returned `code`. Without a connection: the general text of
    /// `code`.
    package init(_ code: CInt, of connection: OpaquePointer?) {
        self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
        message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
    }

    /// Whether a constraint, a foreign key or a trigger of the schema refused the change.
    package var isConstraint: Bool { code & 0xFF == SQLITE_CONSTRAINT }

    /// Whether a foreign key did: `SQLITE_CONSTRAINT_FOREIGNKEY`, a macro that Swift cannot import.
    package var isForeignKey: Bool { code == SQLITE_CONSTRAINT | 3 << 8 }
}
