import CSQLite
import SQLite

/// The rows of a query as ``RowEncoding`` has them.
extension Database {
    /// All of them, and how many they are. As soon as several have more bytes than `limit`, throws what SQLite throws of a
    /// value that is too large for it.
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

    /// Calls `body` with each of them.
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
    /// Appends the row at which it stands, exactly as it is stored in a database whose text is UTF-8.
    fileprivate func appendRow(to bytes: inout [UInt8]) {
        for column in 0..<columnCount {
            RowEncoding.append(column: column, of: handle, to: &bytes)
        }
    }
}
