import Pruning

/// What a transaction may do, and how long it may wait.
struct TransactionKind {
    let isReadOnly: Bool
    /// Whether all statements see the same state of the database.
    var isSnapshot = false
    /// How long a statement waits for a lock.
    var lockTimeout: Duration = .milliseconds(50)
    /// How long a statement may take; nil for any time.
    var statementTimeout: Duration?
    /// Further settings, as SQL.
    var settings = ""

    static let reading = TransactionKind(isReadOnly: true)
    static let snapshot = TransactionKind(isReadOnly: true, isSnapshot: true)
    static func writing(lockTimeout: Duration, statementTimeout: Duration?) -> TransactionKind {
        TransactionKind(isReadOnly: false, lockTimeout: lockTimeout, statementTimeout: statementTimeout)
    }

    /// Settings under which a value's text is exactly what the database has, to the byte, and is read as what was written.
    /// A database in SQL_ASCII has texts in any encoding, and converts none.
    private static let exactText = """
        SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = postgres; SET LOCAL TimeZone = 'UTC'; \
        SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = hex; SET LOCAL array_nulls = on; \
        SET LOCAL lc_monetary = 'C'; SET LOCAL lc_time = 'C'; SET LOCAL quote_all_identifiers = off; SET LOCAL xmloption = content; SELECT set_config('client_encoding', \
        CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE 'UTF8' END, true)
        """

    /// Lets transactions take any time, on servers that can limit that: PostgreSQL 17 and later.
    static func noTransactionTimeout(isLocal: Bool) -> String {
        """
        SELECT pg_catalog.set_config('transaction_timeout', '0', \(isLocal)) \
        WHERE pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
        """
    }

    /// The statements that begin it.
    ///
    /// Every setting is local to the transaction: behind a pooler, the next one may be another client's. Names are found in
    /// `pg_catalog` alone, so that nobody can put an operator or a function of the same name before it. A dead synchronous
    /// standby would hold a commit, and its row locks, for ever: hence `synchronous_commit = local`.
    ///
    /// A merge join with a keeper would read the whole table by its key for a batch of some pages.
    var begin: String {
        let isolation = isSnapshot ? "REPEATABLE READ" : "READ COMMITTED"
        return """
            BEGIN ISOLATION LEVEL \(isolation) \(isReadOnly ? "READ ONLY" : "READ WRITE"); \
            \(Self.noTransactionTimeout(isLocal: true)); \
            SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL row_security = off; \
            SET LOCAL standard_conforming_strings = on; SET LOCAL transform_null_equals = off; \
            SET LOCAL jit = off; SET LOCAL enable_tidscan = on; SET LOCAL enable_mergejoin = off; SET LOCAL synchronous_commit = local; \
            SET LOCAL lock_timeout = \(lockTimeout.wholeMilliseconds); \
            SET LOCAL statement_timeout = \(statementTimeout?.wholeMilliseconds ?? 0); \
            SET LOCAL idle_in_transaction_session_timeout = 60000; \(Self.exactText)\(settings.isEmpty ? "" : "; " + settings)
            """
    }
}

extension Duration {
    /// In milliseconds, at least 1.
    var wholeMilliseconds: Int64 { max(1, Int64(self / .milliseconds(1))) }
}

extension Connection {
    /// Runs `body` in a transaction, and commits. If `body` throws, the transaction is rolled back.
    func transaction<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
        try run(kind.begin)
        do {
            let result = try body()
            try run("COMMIT", isUnstoppable: true)
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` in a read-only transaction, unless one is open. Without one, names would be found by the search path of
    /// the database, which its owner sets.
    func inquire<Result>(_ body: () throws -> Result) throws -> Result {
        try isInTransaction ? body() : transaction(.reading, body)
    }

    /// Commits. A lost connection leaves open whether the server did.
    func commit() -> Result<Void, ServerError> {
        do throws(ServerError) {
            try run("COMMIT", isUnstoppable: true)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Ends the transaction. A connection on which that fails is closed, which rolls it back as well.
    func rollBack() {
        guard isOpen else { return }
        do { try run("ROLLBACK", isUnstoppable: true) } catch { close() }
    }

    /// Runs `body`, and translates what it throws.
    func perform<Result>(
        _ operation: String, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        do { return try body() } catch { throw failure(of: operation, error) }
    }

    /// The meaning of an error that the work threw.
    func failure(of operation: String, _ error: any Error) -> StoreError {
        let found = ServerFailure(operation: operation, place: place).meaning(of: error)
        guard found.kind == .tooSlow || found.kind == .inputOutput, let reason = control.stopReason else {
            return found
        }
        return StoreError(
            .interrupted, operation: operation, place: place, cause: reason, hint: "the next run goes on")
    }
}
