import CPostgreSQL
import Foundation

/// A connection to PostgreSQL as its app or its administrator has it, without anything of pruned's.
final class ServerConnection {
    private let library: libpq
    private let handle: OpaquePointer

    init(_ url: String) throws {
        var reason: UnsafePointer<CChar>?
        guard let library = libpq_load(&reason)?.pointee else {
            throw ServerConnectionError(text: reason.map { String(cString: $0) } ?? "no libpq")
        }
        self.library = library
        let opened = "dbname".withCString { name in
            url.withCString { url in library.PQconnectStartParams([name, nil], [url, nil], 1) }
        }
        guard let opened else { throw ServerConnectionError(text: "no memory") }
        handle = opened
        var state = PGRES_POLLING_WRITING
        while state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING {
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var socket = pollfd(fd: library.PQsocket(handle), events: Int16(events), revents: 0)
            poll(&socket, 1, 10_000)
            state = library.PQconnectPoll(handle)
        }
        guard state == PGRES_POLLING_OK else { throw error("connect") }
        let ignoring: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = { _, _ in }
        _ = library.PQsetNoticeReceiver(handle, ignoring, nil)
    }

    deinit { library.PQfinish(handle) }

    /// Runs any number of statements and returns the rows of the last, their values as text, NULL as an empty one.
    @discardableResult
    func rows(_ sql: String) throws -> [[String]] {
        guard library.PQsendQuery(handle, sql) == 1 else { throw error(sql) }
        var rows: [[String]] = []
        var failure: ServerConnectionError?
        while let result = library.PQgetResult(handle) {
            defer { library.PQclear(result) }
            let status = library.PQresultStatus(result)
            if status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK {
                let state = library.PQresultErrorField(result, 67)  // PG_DIAG_SQLSTATE, a macro
                failure = failure ?? error(sql, state.map { String(cString: $0) } ?? "")
            }
            rows = (0..<library.PQntuples(result)).map { row in
                (0..<library.PQnfields(result)).map { column in
                    library.PQgetvalue(result, row, column).map { String(cString: $0) } ?? ""
                }
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// The first column of a query's result.
    func texts(_ sql: String) throws -> [String] { try rows(sql).map { $0[0] } }

    /// The only value of a query's result, as an integer.
    func integer(_ sql: String) throws -> Int {
        let texts = try texts(sql)
        guard texts.count == 1, let value = Int(texts[0]) else {
            throw ServerConnectionError(text: "no integer: \(sql)")
        }
        return value
    }

    private func error(_ sql: String, _ state: String = "") -> ServerConnectionError {
        let text = library.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return ServerConnectionError(text: text + ": " + sql.prefix(200), state: state)
    }
}

/// What a server refused.
struct ServerConnectionError: Error, CustomStringConvertible {
    let text: String
    /// The SQLSTATE of PostgreSQL, or the number of an error of MariaDB; empty where the server gave none.
    var state = ""
    var description: String { text }
}
