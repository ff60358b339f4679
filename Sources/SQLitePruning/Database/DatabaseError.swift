import GRDBSQLite

/// A call of SQLite's C interface that failed.
struct DatabaseError: Error, Equatable {
    /// The extended result code; sqlite.org/rescode.html.
    let code: CInt
    let message: String

    init(code: CInt, message: String) {
        self.code = code
        self.message = message
    }

    /// What `connection` says of the call that has just returned `code`; without one, what the code says.
    init(_ code: CInt, of connection: OpaquePointer?) {
        self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
        message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
    }

    /// Whether a constraint of the schema, a foreign key or a trigger says no.
    var isConstraint: Bool { code & 0xFF == SQLITE_CONSTRAINT }
}
