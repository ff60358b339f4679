import TerminalText

/// What is left of deleted rows, and what keeps it.
extension Connection {
    /// What a person should know of these tables after rows of them were deleted. A role that may not read the statistics of
    /// others learns less.
    func remarks(on tables: [Relation]) throws -> [String] {
        try tables.flatMap(deadRows) + [oldestTransaction(), idleSlot()].compactMap(\.self)
    }

    /// A fifth of a table is what autovacuum waits for by default.
    private func deadRows(of table: Relation) throws -> [String] {
        let found = try query(
            """
            SELECT coalesce(sum(s.n_dead_tup), 0), coalesce(sum(s.n_live_tup), 0) FROM pg_stat_user_tables s \
            WHERE s.relid IN \(PartitionTree.below("$1"))
            """, ["\(table.oid)"])
        guard let dead = found.integer(0, 0), let live = found.integer(0, 1), dead > 10_000, dead * 5 > live
        else {
            return []
        }
        return [
            "\(dead.grouped) dead rows of \(table.description) take up space until a VACUUM, which autovacuum does"
        ]
    }

    /// The transaction that keeps dead rows from being vacuumed, if it is older than ten minutes.
    private func oldestTransaction() throws -> String? {
        let found = try query(
            """
            SELECT pid, coalesce(nullif(application_name, ''), usename), \
            extract(epoch FROM clock_timestamp() - xact_start)::bigint / 60 FROM pg_stat_activity \
            WHERE pid <> pg_backend_pid() AND backend_xmin IS NOT NULL AND backend_type <> 'walsender' \
            AND xact_start < clock_timestamp() - interval '10 minutes' ORDER BY age(backend_xmin) DESC LIMIT 1
            """)
        guard found.count > 0 else { return nil }
        return
            "the transaction of process \(found.text(0, 0) ?? "") (\((found.text(0, 1) ?? "").onOneLine)), open for"
            + " \(found.text(0, 2) ?? "") min, keeps dead rows from being vacuumed"
    }

    /// A replication slot that nobody reads keeps the log of all deletions.
    private func idleSlot() throws -> String? {
        let found = try query(
            """
            SELECT slot_name, pg_size_pretty(pg_current_wal_lsn() - restart_lsn) FROM pg_replication_slots \
            WHERE NOT active AND restart_lsn IS NOT NULL AND NOT pg_is_in_recovery() ORDER BY restart_lsn LIMIT 1
            """)
        guard found.count > 0 else { return nil }
        return
            "replication slot \((found.text(0, 0) ?? "").onOneLine) is not read, and keeps \(found.text(0, 1) ?? "") of the"
            + " write-ahead log"
    }
}
