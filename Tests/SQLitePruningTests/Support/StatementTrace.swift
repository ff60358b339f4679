import CSQLite
import SQLite

@testable import SQLitePruning

/// The statements that a connection runs, with the values in place.
final class StatementTrace {
    private(set) var statements: [String] = []

    /// Must live as long as the connection is used.
    func follow(_ db: Database) {
        sqlite3_trace_v2(
            db.handle, UInt32(SQLITE_TRACE_STMT),
            { _, trace, statement, _ in
                guard let trace, let sql = sqlite3_expanded_sql(statement.map(OpaquePointer.init)) else {
                    return 0
                }
                defer { sqlite3_free(sql) }
                Unmanaged<StatementTrace>.fromOpaque(trace).takeUnretainedValue().statements
                    .append(String(cString: sql))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
