import CPostgreSQL
import Foundation

/// A PostgreSQL database as its app has it open: a connection of libpq's own, without anything of pruned's.
final class ServerConnection: AppConnection {
    private let library: libpq
    private let connection: OpaquePointer

    init(_ url: String) throws {
        var reason: UnsafePointer<CChar>?
        guard let loaded = libpq_load(&reason) else {
            throw ServerError(state: "", text: reason.map { String(cString: $0) } ?? "no libpq")
        }
        library = loaded.pointee
        let (key, value) = (strdup("dbname"), strdup(url))
        defer {
            free(key)
            free(value)
        }
        let keys: [UnsafePointer<CChar>?] = [UnsafePointer(key), nil]
        let values: [UnsafePointer<CChar>?] = [UnsafePointer(value), nil]
        guard let opened = library.PQconnectStartParams(keys, values, 1) else {
            throw ServerError(state: "", text: "no memory for a connection")
        }
        connection = opened
        var state = PGRES_POLLING_WRITING
        while state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING {
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var waiting = pollfd(fd: library.PQsocket(connection), events: Int16(events), revents: 0)
            poll(&waiting, 1, 30_000)
            state = library.PQconnectPoll(connection)
        }
        guard state == PGRES_POLLING_OK else { throw error() }
        try execute("SET client_min_messages = error")
    }

    deinit { library.PQfinish(connection) }

    var begin: String { "BEGIN" }
    var beginReading: String { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }
    var lockingRow: String { " FOR KEY SHARE" }

    func execute(_ sql: String) throws { _ = try rows(sql) }

    func rows(_ sql: String) throws -> [[String]] {
        guard library.PQsendQuery(connection, sql) == 1 else { throw error() }
        var rows: [[String]] = []
        var failure: ServerError?
        while let result = library.PQgetResult(connection) {
            defer { library.PQclear(result) }
            switch library.PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows = self.rows(of: result)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            default:
                let state = library.PQresultErrorField(result, Int32(Character("C").asciiValue ?? 0))
                let text = library.PQresultErrorMessage(result)
                failure = ServerError(
                    state: state.map { String(cString: $0) } ?? "",
                    text: (text.map { String(cString: $0) } ?? "") + sql.prefix(200))
            }
        }
        if let failure { throw failure }
        return rows
    }

    private func rows(of result: OpaquePointer) -> [[String]] {
        (0..<library.PQntuples(result)).map { row in
            (0..<library.PQnfields(result)).map { column in
                library.PQgetvalue(result, row, column).map { String(cString: $0) } ?? ""
            }
        }
    }

    private func error() -> ServerError {
        ServerError(
            state: "", text: library.PQerrorMessage(connection).map { String(cString: $0) } ?? "no answer")
    }
}

/// What the server refused.
struct ServerError: Error, CustomStringConvertible {
    /// The SQLSTATE.
    let state: String
    let text: String

    var description: String { "PostgreSQL \(state): \(text)" }
}
