import CSQLite

extension Database {
    /// Takes the write lock. The transaction restarts the write-ahead log only while nobody can checkpoint; see
    /// ``LogReset``.
    package func beginImmediate() throws(DatabaseError) {
        let reset = try isWAL() ? logReset() : nil
        if let reset, startsLogAnew { reset.preventCheckpoints() }
        do {
            try execute("BEGIN IMMEDIATE")
            guard let reset else { return }
            // From now on no other process can change the log.
            if startsLogAnew { try reset.preventReset() } else { reset.release() }
        } catch {
            rollback()
            throw error
        }
    }

    /// True if the index cannot be read.
    private var startsLogAnew: Bool { LogIndex(of: self)?.startsAnew ?? true }

    package func commit() throws(DatabaseError) {
        try execute("COMMIT")
        openLogReset?.release()
    }

    /// Throws the error that ``commit()`` would throw for deferred foreign keys.
    package func checkForeignKeys() throws(DatabaseError) {
        var (unresolved, highest): (CInt, CInt) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
        guard unresolved != 0 else { return }
        throw DatabaseError(code: SQLITE_CONSTRAINT | 3 << 8, message: "FOREIGN KEY constraint failed")
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Ends the transaction, unless SQLite has rolled it back already. If this fails, the next process that opens the
    /// store rolls it back.
    package func rollback() {
        if isInTransaction { try? execute("ROLLBACK") }
        openLogReset?.release()
    }

    /// Runs `body` in a transaction that has the write lock from its start. An error of `body` rolls it back.
    package func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try beginImmediate()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Runs `body` in a deferred transaction, so that all its statements see one state of the store.
    package func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        defer { rollback() }
        let result = try body()
        // Not a rollback, which would also undo what `body` put into temporary tables.
        try commit()
        return result
    }

    /// Changes when another connection commits; sqlite.org/pragma.html#pragma_data_version.
    package func dataVersion() throws(DatabaseError) -> Int64 {
        try value("PRAGMA data_version").integer
    }

    /// Changes with the schema.
    package func schemaVersion() throws(DatabaseError) -> Int64 {
        try value("PRAGMA schema_version").integer
    }

    /// The default collation for comparisons of a column.
    package func collation(of column: String, in table: String) throws(DatabaseError) -> String {
        var name: UnsafePointer<CChar>?
        let code = sqlite3_table_column_metadata(handle, "main", table, column, nil, &name, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: handle) }
        return name.map { String(cString: $0) } ?? "BINARY"
    }

    /// SQLite's plan of a query: its steps, in SQLite's words.
    package func queryPlan(of sql: String, _ values: [String: DatabaseValue] = [:]) throws(DatabaseError)
        -> [String]
    {
        // The columns are id, parent, notused and detail.
        try rows("EXPLAIN QUERY PLAN " + sql, values).map { $0[3].string }
    }

    /// The same for a query that names an index; nil if that index does not serve the query.
    package func queryPlanByIndex(of sql: String) throws(DatabaseError) -> [String]? {
        do {
            return try queryPlan(of: sql)
        } catch {
            guard error.message == "no query solution" else { throw error }
            return nil
        }
    }
}
