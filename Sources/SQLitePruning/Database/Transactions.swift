import Foundation
import GRDBSQLite

extension Database {
    /// Takes the write lock; and if the first change will start the write-ahead log anew, the lock of checkpoints as well,
    /// see ``LogReset``.
    func beginImmediate() throws {
        try execute("BEGIN IMMEDIATE")
        do {
            guard try isWAL(), LogIndex(of: self)?.startsAnew ?? true else { return }
            try preventCheckpoints()
        } catch {
            rollback()
            throw error
        }
    }

    /// Waits for a checkpoint that is under way, which has nothing left to do. Nobody else can write meanwhile.
    private func preventCheckpoints() throws(DatabaseError) {
        for _ in 0..<Self.mostLooks {
            if try logReset().preventCheckpoints() {
                hasPreventedCheckpoints = true
                return
            }
            usleep(Self.microsecondsBetweenLooks)
        }
        throw DatabaseError(SQLITE_BUSY, of: nil)
    }

    private static let mostLooks = 20
    private static let microsecondsBetweenLooks: UInt32 = 100

    func commit() throws(DatabaseError) {
        try execute("COMMIT")
        allowCheckpoints()
    }

    private func allowCheckpoints() {
        guard hasPreventedCheckpoints else { return }
        hasPreventedCheckpoints = false
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
        allowCheckpoints()
    }

    /// Runs `body` in a deferred transaction, so that all its statements see one state of the store.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        defer { rollback() }
        return try body()
    }

    /// Writes the log into the database as far as readers allow, keeping nobody waiting; see ``LogReset``. What became of
    /// the log.
    ///
    /// Nothing that comes while it works is left: only a commit that finds all of the log in the database starts it anew.
    func checkpoint() throws -> LogIndex? {
        guard var index = LogIndex(of: self) else { return nil }
        for _ in 0..<Self.mostCheckpoints where !index.isBackfilled {
            let before = index
            try logReset().kept {
                // All of it may be there by now, and then the lock that is kept is another.
                guard LogIndex(of: self)?.isBackfilled == false else { return }
                try execute("PRAGMA wal_checkpoint(PASSIVE)")
            }
            index = LogIndex(of: self) ?? index
            if index.generation == before.generation, index.backfilled == before.backfilled { break }
        }
        return index
    }

    private static let mostCheckpoints = 5

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
