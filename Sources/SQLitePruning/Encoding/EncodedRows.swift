import CSQLite
import SQLite

/// The rows of a query in ``RowEncoding``.
extension Database {
    /// All rows, and their number. Throws SQLite's error for a value that is too large as soon as several rows together
    /// have more than `limit` bytes.
    func encodedRows(
        _ sql: String, _ values: [String: DatabaseValue], limit: Int = .max
    ) throws(DatabaseError) -> (bytes: [UInt8], count: Int64) {
        var bytes: [UInt8] = []
        var count: Int64 = 0
        try eachStep(sql, values) { statement throws(DatabaseError) in
            statement.appendRow(to: &bytes)
            count += 1
            guard count == 1 || bytes.count <= limit else { throw DatabaseError(SQLITE_TOOBIG, of: nil) }
        }
        return (bytes, count)
    }

    /// Calls `body` with each row.
    func eachRow(
        _ sql: String, _ values: [String: DatabaseValue], _ body: ([UInt8]) -> Void
    ) throws(DatabaseError) {
        var bytes: [UInt8] = []
        try eachStep(sql, values) { statement throws(DatabaseError) in
            statement.appendRow(to: &bytes)
            body(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
    }
}

extension Statement {
    /// Appends the current row, exactly as a database with UTF-8 text stores it.
    fileprivate func appendRow(to bytes: inout [UInt8]) {
        for column in 0..<columnCount {
            RowEncoding.append(column: column, of: handle, to: &bytes)
        }
    }
}
