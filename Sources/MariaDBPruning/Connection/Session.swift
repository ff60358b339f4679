import Pruning

/// What a transaction may do, and how long it may wait.
enum TransactionKind {
    /// Sees one state of the database.
    case snapshot
    /// Changes rows. A statement takes at most so long.
    case writing(longest: Duration)
}

extension Connection {
    /// The settings of the session. A trigger runs in it and may change them, so they are set again before each batch.
    ///
    /// In this mode a text has no escapes, so that values can be written into statements, `"` stands around names, and a key of
    /// 0 comes back as 0.
    private static let settings = """
        SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,\
        ERROR_FOR_DIVISION_BY_ZERO', time_zone = '+00:00', autocommit = 1, innodb_lock_wait_timeout = 0, \
        lock_wait_timeout = 0, foreign_key_checks = 1, unique_checks = 1, sql_safe_updates = 0, sql_auto_is_null = 0, \
        sql_select_limit = DEFAULT, max_join_size = DEFAULT, system_versioning_asof = DEFAULT, old_mode = '', \
        character_set_client = utf8mb4, character_set_results = utf8mb4, character_set_connection = utf8mb4, \
        optimizer_switch = 'default,subquery_cache=off', completion_type = 'NO_CHAIN', div_precision_increment = 4, \
        group_concat_max_len = 1048576, in_predicate_conversion_threshold = 0
        """

    func setUp() throws(ServerError) { try set(longest: nil) }

    /// Sets what a trigger of the batch before may have changed, and how long a statement may take.
    private func set(longest: Duration?) throws(ServerError) {
        guard mayBeChanged || longest != self.longest else { return }
        defer { (mayBeChanged, self.longest) = (false, longest) }
        let seconds =
            longest.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 } ?? 0
        try query("\(Self.settings), max_statement_time = \(seconds)")
        try query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
    }

    /// Sets what a trigger has changed in the transaction, in which others will run.
    func setAgain() throws(ServerError) {
        try set(longest: longest)
        mayBeChanged = true
    }

    /// Begins a transaction with the settings of a session. `firesTriggers`: code of others may run in it, and change them.
    func begin(_ kind: TransactionKind, firesTriggers: Bool = false) throws(ServerError) {
        defer { if firesTriggers { mayBeChanged = true } }
        switch kind {
        case .snapshot:
            try set(longest: nil)
            // Of this transaction alone.
            try query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            try query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        case .writing(let longest):
            try set(longest: longest)
            try query("START TRANSACTION")
        }
    }

    /// Runs `body` in a transaction that sees one state of the database and changes nothing.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try begin(.snapshot)
        defer { rollBack() }
        return try body()
    }

    /// Ends the transaction. A connection on which that fails is closed, which rolls it back as well.
    func rollBack() {
        guard isOpen else { return }
        do { try query("ROLLBACK", isUnstoppable: true) } catch { close() }
    }
}
