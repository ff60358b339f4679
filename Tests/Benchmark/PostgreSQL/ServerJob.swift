/// What is to be deleted from the copy of a database.
struct ServerJob {
    let recipe: ServerRecipe
    /// How many rows are old enough; of articles, not all of these go. Of days it is the half, or none.
    var share = ExpiredShare.half
    /// Whether partitions are dropped.
    var drops = false
    /// How far a replica may be behind, as the configuration has it.
    var maxLag: String?

    private var hasFlags: Bool { recipe.table == .articles }

    /// In Unix seconds.
    var cutoff: Int64 {
        guard case .days(let days) = recipe.table, share != .none else { return share.cutoff }
        // No row is in the first two hours of a day.
        return Timeline.start + Int64(days / 2) * Timeline.day + 3_600
    }

    private var old: Int {
        if case .days = recipe.table, share != .none { recipe.rows / 2 } else { share.rows(of: recipe.rows) }
    }

    /// How many rows go.
    var expired: Int { hasFlags ? (0..<old).count(where: ServerRecipe.isUnprotected) : old }

    /// In SQL, what the rule says of a row.
    var condition: String {
        "created_at < to_timestamp(\(cutoff))" + (hasFlags ? " AND read AND NOT starred" : "")
    }

    /// The same by how the table was made, of the row `i`.
    private var isExpired: String {
        "i < \(old)" + (hasFlags ? " AND \(ServerRecipe.isRead) AND NOT (\(ServerRecipe.isStarred))" : "")
    }

    /// What pg_cron would run.
    var statement: String { "DELETE FROM entry WHERE \(condition);" }

    /// Deletes `limit` rows in each transaction, the oldest first, as Miniflux does. It says how long the longest took.
    func loop(limit: Int) -> String {
        """
        DO $$ DECLARE deleted bigint; began timestamptz; longest interval := '0'; BEGIN
        LOOP
            began := clock_timestamp();
            DELETE FROM entry WHERE id IN
                (SELECT id FROM entry WHERE \(condition) ORDER BY created_at LIMIT \(limit));
            GET DIAGNOSTICS deleted = ROW_COUNT;
            COMMIT;
            longest := greatest(longest, clock_timestamp() - began);
            EXIT WHEN deleted = 0;
        END LOOP;
        RAISE NOTICE 'longest % ms', extract(epoch FROM longest) * 1000;
        END $$
        """
    }

    /// Counts the rows that are left: those that must go and nobody has touched; those that must go; those that must
    /// stay and are as they were made; all.
    var count: String {
        let isAsMade =
            hasFlags
            ? "read = (\(ServerRecipe.isRead)) AND starred = (\(ServerRecipe.isStarred))" : "true"
        let isUntouched = hasFlags ? "visits = 0" : "true"
        return """
            SELECT count(*) FILTER (WHERE \(isExpired) AND \(isUntouched)), count(*) FILTER (WHERE \(isExpired)),
                count(*) FILTER (WHERE NOT (\(isExpired)) AND \(isAsMade)), count(*)
            FROM (SELECT *, id AS i FROM entry) rows
            """
    }

    /// The configuration with which pruned does it. What is kept is counted back from `now`.
    func policy(url: String, now: Int64) -> String {
        """
        time_zone = "UTC"
        [guard]
        max_share = 1.0
        [store.measured]
        url = "\(url)"
        \(maxLag.map { "max_lag = \"\($0)\"" } ?? "")
        [rule.\(Policy.ruleName)]
        table = "entry"
        every = "1d"
        age_column = "created_at"
        keep = "\(now - cutoff)s"
        \(hasFlags ? "where = \"read\"\nprotect = [\"starred\"]" : "")
        \(drops ? "partitions = \"drop\"" : "")
        """
    }
}
