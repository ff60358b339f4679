import GRDB

extension Database {
    /// Runs `body` in a deferred transaction, so that all its statements see one state of the store.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try beginTransaction(.deferred)
        defer { try? rollback() }  // nothing was written; a transaction that is gone already is fine
        return try body()
    }

    /// Changes when another connection commits; sqlite.org/pragma.html#pragma_data_version.
    func dataVersion() throws -> Int {
        let statement = try cachedStatement(sql: "PRAGMA data_version")
        return try Int.fetchOne(statement) ?? 0
    }
}
