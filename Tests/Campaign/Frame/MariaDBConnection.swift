import CMariaDB
import Foundation
import TestSupport

/// A connection to MariaDB as its app or its administrator has it, without anything of pruned's.
final class MariaDBConnection {
    private let library: libmariadb
    private let handle: UnsafeMutablePointer<MYSQL>
    /// It is dropped after its connections.
    private let database: MariaDBDatabase

    init(_ database: MariaDBDatabase) throws {
        var reason: UnsafePointer<CChar>?
        guard let library = libmariadb_load(&reason)?.pointee else {
            throw ServerConnectionError(text: reason.map { String(cString: $0) } ?? "no libmariadb")
        }
        guard let handle = library.mysql_init(nil) else { throw ServerConnectionError(text: "no memory") }
        (self.library, self.handle, self.database) = (library, handle, database)
        _ = withUnsafePointer(to: library) {
            libmariadb_set_text($0, handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
        }
        let made = library.mysql_real_connect(
            handle, nil, "root", nil, database.name, 0, database.server.socket, 0)
        guard made != nil else { throw error("connect") }
        // At its own level it would lock gaps between rows, in which the app's other session inserts.
        try rows(
            """
            SET SESSION time_zone = '+00:00', tx_isolation = 'READ-COMMITTED', innodb_lock_wait_timeout = 5,
                sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES')
            """)
    }

    deinit { library.mysql_close(handle) }

    /// Runs any number of statements and returns the rows of the last, their values as text, NULL as an empty one.
    ///
    /// A semicolon ends a statement where a blank or the end of a line follows: nothing else here has both.
    @discardableResult
    func rows(_ sql: String) throws -> [[String]] {
        let statements = sql.components(separatedBy: ";\n").flatMap { $0.components(separatedBy: "; ") }
        var rows: [[String]] = []
        for statement in statements where statement.contains(where: { !$0.isWhitespace && $0 != ";" }) {
            rows = try answer(statement)
        }
        return rows
    }

    private func answer(_ statement: String) throws -> [[String]] {
        guard library.mysql_send_query(handle, statement, UInt(statement.utf8.count)) == 0,
            library.mysql_read_query_result(handle) == 0
        else { throw error(statement) }
        guard library.mysql_field_count(handle) > 0 else { return [] }
        guard let result = library.mysql_store_result(handle) else { throw error(statement) }
        defer { library.mysql_free_result(result) }
        let columns = Int(library.mysql_num_fields(result))
        var rows: [[String]] = []
        while let row = library.mysql_fetch_row(result) {
            rows.append((0..<columns).map { row[$0].map { String(cString: $0) } ?? "" })
        }
        return rows
    }

    private func error(_ sql: String) -> ServerConnectionError {
        ServerConnectionError(
            text: (library.mysql_error(handle).map { String(cString: $0) } ?? "") + ": " + sql.prefix(200),
            state: "\(library.mysql_errno(handle))")
    }
}
