import GRDBSQLite

/// What a DELETE on a table would change: the table itself, and whatever cascades and triggers reach.
///
/// SQLite tells it when it compiles the statement, through the authorizer: one call for every table that any part
/// of the program writes, triggers and foreign key actions included. It has to be a connection of its own, because
/// GRDB keeps the authorizer of its connections for itself.
struct DeleteReach {
    struct Write: Hashable {
        enum Operation: String {
            case delete, insert, update
        }
        let operation: Operation
        let table: String
        /// The trigger that writes; nil for the statement itself and for foreign key actions.
        let trigger: String?
    }

    private(set) var writes: Set<Write> = []

    /// Compiles, and does not run, `sql` on the file that `uri` names.
    init(of sql: String, uri: String) throws(SQLiteCode) {
        var connection: OpaquePointer?
        let opened = sqlite3_open_v2(
            uri, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        defer { sqlite3_close_v2(connection) }
        guard opened == SQLITE_OK, let connection else { throw SQLiteCode(opened, connection) }
        sqlite3_busy_timeout(connection, 50)
        let enabled = sqlite3_exec(connection, "PRAGMA foreign_keys = ON", nil, nil, nil)
        guard enabled == SQLITE_OK else { throw SQLiteCode(enabled, connection) }

        let recorder = Recorder()
        sqlite3_set_authorizer(
            connection,
            { context, action, table, _, _, trigger in
                guard let context, let table else { return SQLITE_OK }
                Unmanaged<Recorder>.fromOpaque(context).takeUnretainedValue()
                    .record(action, String(cString: table), trigger.map { String(cString: $0) })
                return SQLITE_OK
            }, Unmanaged.passUnretained(recorder).toOpaque())
        var statement: OpaquePointer?
        let prepared = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        sqlite3_finalize(statement)
        guard prepared == SQLITE_OK else { throw SQLiteCode(prepared, connection) }
        writes = withExtendedLifetime(recorder) { recorder.writes }
    }

    private final class Recorder {
        var writes: Set<Write> = []

        func record(_ action: CInt, _ table: String, _ trigger: String?) {
            let operation: Write.Operation? =
                switch action {
                case SQLITE_DELETE: .delete
                case SQLITE_INSERT: .insert
                case SQLITE_UPDATE: .update
                default: nil
                }
            if let operation { writes.insert(Write(operation: operation, table: table, trigger: trigger)) }
        }
    }
}

/// A result code of SQLite's C interface, with the message of its connection.
struct SQLiteCode: Error {
    let code: CInt
    let message: String

    init(_ code: CInt, _ connection: OpaquePointer?) {
        self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
        message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
    }
}
