import CSQLite
import Foundation

/// A SQLite file as its app has it open: a connection of SQLite's own, without anything of pruned's.
final class StoreFile {
    private let connection: OpaquePointer

    /// Opens or creates the file at `path`. Like an app with a busy timeout it waits up to `patience` for locks.
    init(_ path: String, patience: Duration = .seconds(5)) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle, code == SQLITE_OK else {
            sqlite3_close_v2(handle)
            throw StoreFileError(code: code, text: "cannot open \(path)")
        }
        connection = handle
        sqlite3_busy_timeout(handle, Int32(patience / .milliseconds(1)))
    }

    deinit { sqlite3_close_v2(connection) }

    /// Executes any number of statements.
    func execute(_ sql: String) throws {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql) }
    }

    /// The rows of a query, their values as text, NULL as an empty one.
    func rows(_ sql: String) throws -> [[String]] {
        var rows: [[String]] = []
        try eachRow(sql) { rows.append($0) }
        return rows
    }

    /// Calls `body` with each row of a query, also with those before an error.
    func eachRow(_ sql: String, _ body: ([String]) -> Void) throws {
        var statement: OpaquePointer?
        var code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw error(code, sql) }
        defer { sqlite3_finalize(statement) }
        code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            body(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                })
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw error(code, sql) }
    }

    /// The first column of a query's result.
    func texts(_ sql: String) throws -> [String] { try rows(sql).map { $0[0] } }

    /// The first column of a query's result, as integers.
    func integers(_ sql: String) throws -> [Int64] { try texts(sql).map { Int64($0) ?? .min } }

    private func error(_ code: Int32, _ sql: String) -> StoreFileError {
        StoreFileError(
            code: sqlite3_extended_errcode(connection),
            text: String(cString: sqlite3_errmsg(connection)) + ": " + sql.prefix(200))
    }
}

/// What SQLite refused.
struct StoreFileError: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: Int32
    let text: String

    var description: String { "SQLite \(code): \(text)" }
}
