import GRDBSQLite

@testable import SQLitePruning

/// The statements that a connection runs.
final class StatementTrace {
    private(set) var statements: [String] = []

    /// Must live as long as the connection is used.
    func follow(_ db: Database) {
        sqlite3_trace_v2(
            db.handle, UInt32(SQLITE_TRACE_STMT),
            { _, trace, _, sql in
                guard let trace, let sql else { return 0 }
                Unmanaged<StatementTrace>.fromOpaque(trace).takeUnretainedValue().statements
                    .append(String(cString: sql.assumingMemoryBound(to: CChar.self)))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
