/// A session of an app on a server, with what that server says in words of its own.
protocol ServerSession: AppConnection {
    /// Begins a transaction that others may make fail.
    var beginRepeatable: String { get }
    /// What a SELECT ends with that lets nobody change its rows.
    var sharingRows: String { get }
    /// Keeps all others from the app's tables, of which the first is called `item`, until a COMMIT and ``unlock``.
    func lock(_ item: String) -> String
    var unlock: String { get }
    /// The sessions of a role.
    func sessions(of role: String) -> String
    /// What is done to a database now and then, each as statements. Some of it ends what the role does.
    func maintenance(of item: String, _ role: String) throws -> [String]
}

extension ServerConnection: ServerSession {
    func execute(_ sql: String) throws { try rows(sql) }
    var begin: String { "BEGIN" }
    var beginReading: String { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }
    var beginRepeatable: String { "BEGIN ISOLATION LEVEL REPEATABLE READ" }
    var lockingRow: String { " FOR KEY SHARE" }
    var sharingRows: String { " FOR SHARE" }
    func isConflict(_ error: any Error) -> Bool { (error as? ServerConnectionError)?.state == "40001" }
    func lock(_ item: String) -> String { "BEGIN; LOCK TABLE \(item) IN ACCESS EXCLUSIVE MODE" }
    var unlock: String { "" }

    func sessions(of role: String) -> String {
        "SELECT pid FROM pg_stat_activity WHERE usename = '\(role)'"
    }

    func maintenance(of item: String, _ role: String) -> [String] {
        let signals = ["pg_terminate_backend", "pg_cancel_backend"].map {
            "SELECT \($0)(pid) FROM pg_stat_activity WHERE usename = '\(role)'"
        }
        let locks = ["SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE"].map {
            "BEGIN; LOCK TABLE \(item) IN \($0) MODE; SELECT pg_sleep(0.03); COMMIT"
        }
        return signals + locks + [
            "VACUUM \(item)", "VACUUM FULL \(item)", "CLUSTER \(item) USING item_pkey",
            "REINDEX TABLE \(item)", "ANALYZE", "TRUNCATE trail",
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS item_feed ON \(item) (feed)",
            "DROP INDEX CONCURRENTLY IF EXISTS item_feed", "DROP INDEX CONCURRENTLY IF EXISTS item_received",
        ]
    }
}

extension MariaDBConnection: ServerSession {
    func execute(_ sql: String) throws { try rows(sql) }
    var begin: String { "BEGIN" }
    var beginReading: String { beginRepeatable + " READ ONLY" }
    var beginRepeatable: String { "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION" }
    var lockingRow: String { sharingRows }
    var sharingRows: String { " LOCK IN SHARE MODE" }

    /// A deadlock, or a lock that another session kept too long.
    func isConflict(_ error: any Error) -> Bool {
        (error as? ServerConnectionError).map { ["1205", "1213"].contains($0.state) } ?? false
    }

    func add(_ values: String, to table: String) throws -> [[String]] {
        try rows("INSERT IGNORE INTO \(table) VALUES \(values) RETURNING id")
    }

    /// An UPDATE returns nothing there.
    func change(_ table: String, _ changes: String, where condition: String) throws -> [[String]] {
        try rows(
            """
            SET @marked = NULL;
            UPDATE \(table) SET \(changes), marked = (@marked := marked) WHERE \(condition);
            SELECT @marked FROM DUAL WHERE @marked IS NOT NULL
            """)
    }

    /// A statement that changes the schema commits, and leaves these locks.
    func lock(_ item: String) -> String {
        "LOCK TABLES "
            + [item, "label", "child", "gone", "trail"].map { $0 + " WRITE" }.joined(separator: ", ")
    }

    var unlock: String { "UNLOCK TABLES" }

    func sessions(of role: String) -> String {
        "SELECT id FROM information_schema.PROCESSLIST WHERE user = '\(role)'"
    }

    func maintenance(of item: String, _ role: String) throws -> [String] {
        let sessions = try rows(sessions(of: role)).map { $0[0] }
        let signals = ["CONNECTION", "QUERY"].map { what in
            // It may have ended by itself.
            sessions.map { "BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR 1094 DO 0;KILL \(what) \($0);END" }
                .joined(separator: ";\n")
        }
        let locks = ["READ", "WRITE"].map { "LOCK TABLES \(item) \($0); DO SLEEP(0.03); UNLOCK TABLES" }
        return signals + locks + [
            "OPTIMIZE TABLE \(item)", "ALTER TABLE \(item) FORCE", "ANALYZE TABLE \(item)",
            "CHECK TABLE \(item)", "TRUNCATE trail", "FLUSH TABLES",
            "CREATE INDEX IF NOT EXISTS item_feed ON \(item) (feed)",
            "DROP INDEX IF EXISTS item_feed ON \(item)", "DROP INDEX IF EXISTS item_received ON \(item)",
        ]
    }
}
