import Archive
import CSQLite
import SQLite

/// The rows of a query in ``RowEncoding``.
extension Database {
    /// All rows, and their number. Throws SQLite's error for a value that is too large as soon as several rows together
    /// have more than `limit` bytes.
    func encodedRows(
        _ sql: String, _ values: [String: DatabaseValue], limit: Int = .max
    ) throws(DatabaseError) -> (bytes: [UInt8], count: Int64) {
        let rows = try encodedRows(sql, values, limit: limit, identifiedBy: 0)
        return (rows.bytes, rows.count)
    }

    /// The same, with the identity of each row. It is made of the last `identifying` columns, which are not among the
    /// encoded ones. No identities if there are no such columns.
    func encodedRows(
        _ sql: String, _ values: [String: DatabaseValue], limit: Int, identifiedBy identifying: Int
    ) throws(DatabaseError) -> (bytes: [UInt8], count: Int64, identities: [UInt64]) {
        var (bytes, identifyingBytes): ([UInt8], [UInt8]) = ([], [])
        var identities: [UInt64] = []
        var count: Int64 = 0
        try eachStep(sql, values) { statement throws(DatabaseError) in
            let encoded = statement.columnCount - CInt(identifying)
            statement.append(columns: 0..<encoded, to: &bytes)
            if identifying > 0 {
                identifyingBytes.removeAll(keepingCapacity: true)
                statement.append(columns: encoded..<statement.columnCount, to: &identifyingBytes)
                identities.append(RowIdentity.of(identifyingBytes, columns: identifying))
            }
            count += 1
            guard count == 1 || bytes.count <= limit else { throw DatabaseError(SQLITE_TOOBIG, of: nil) }
        }
        return (bytes, count, identities)
    }

    /// Calls `body` with each row.
    func eachRow(
        _ sql: String, _ values: [String: DatabaseValue], _ body: ([UInt8]) -> Void
    ) throws(DatabaseError) {
        var bytes: [UInt8] = []
        try eachStep(sql, values) { statement throws(DatabaseError) in
            statement.append(columns: 0..<statement.columnCount, to: &bytes)
            body(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
    }
}

extension Statement {
    /// Appends columns of the current row, exactly as a database with UTF-8 text stores them.
    fileprivate func append(columns: Range<CInt>, to bytes: inout [UInt8]) {
        for column in columns {
            RowEncoding.append(column: column, of: handle, to: &bytes)
        }
    }
}

extension ArchivedValue {
    /// The value as a parameter.
    var bound: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): .int64(value)
        case .real(let value): .double(value)
        case .text(let bytes): .encodedText(bytes, encoding: UInt8(SQLITE_UTF8))
        case .blob(let bytes): .blob(bytes)
        }
    }
}
