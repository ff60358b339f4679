import GRDBSQLite

extension Database {
    /// Takes the write lock; and if the first change will start the write-ahead log anew, the lock of checkpoints as well,
    /// see ``LogReset``.
    func beginImmediate() throws {
        try execute("BEGIN IMMEDIATE")
        do {
            guard try isWAL(), LogIndex(of: self)?.startsAnew ?? true else { return }
            try logReset().preventCheckpoints()
        } catch {
            rollback()
            throw error
        }
    }

    func commit() throws(DatabaseError) {
        try execute("COMMIT")
        openLogReset?.allowCheckpoints()
    }

    /// Throws what ``commit()`` would throw of deferred foreign keys.
    func checkForeignKeys() throws(DatabaseError) {
        var (unresolved, highest): (CInt, CInt) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
        guard unresolved != 0 else { return }
        throw DatabaseError(code: SQLITE_CONSTRAINT | 3 << 8, message: "FOREIGN KEY constraint failed")
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Ends the transaction, if SQLite has not rolled it back already. Where that fails, whoever opens the store
    /// next does it.
    func rollback() {
        if isInTransaction { try? execute("ROLLBACK") }
        openLogReset?.allowCheckpoints()
    }

    /// Runs `body` in a deferred transaction, so that all its statements see one state of the store.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        defer { rollback() }
        return try body()
    }

    /// Changes when another connection commits; sqlite.org/pragma.html#pragma_data_version.
    func dataVersion() throws(DatabaseError) -> Int64 {
        try value("PRAGMA data_version").integer
    }

    /// Changes with the schema.
    func schemaVersion() throws(DatabaseError) -> Int64 {
        try value("PRAGMA schema_version").integer
    }

    /// How SQLite would run a query, step by step, in its words.
    func queryPlan(of sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError) -> [String]
    {
        // Of the columns id, parent, notused and detail.
        try rows("EXPLAIN QUERY PLAN " + sql, values).map { $0[3].string }
    }
}
