/// What Citus knows of its tables.
enum DistributedTables {
    /// The table of the extension that is read here.
    static let catalog = "pg_catalog.pg_dist_partition"
}

extension Connection {
    /// Lets a transaction wait no longer for a lock on the other servers than here. Citus sends the whole text on that a SET
    /// is part of, so each is sent alone.
    func limitLocks(_ time: Duration) throws {
        for setting in [
            "citus.propagate_set_commands = 'local'", "lock_timeout = \(time.wholeMilliseconds)",
            "citus.propagate_set_commands = 'none'",
        ] {
            try run("SET LOCAL \(setting)")
        }
    }

    /// Those of the tables that Citus distributes, and its reference tables.
    func distributedTables(among tables: [UInt32]) throws -> Set<UInt32> {
        guard try storages().contains(DistributedTables.catalog) else { return [] }
        let found = try query(
            "SELECT logicalrelid::oid FROM pg_catalog.pg_dist_partition WHERE logicalrelid::oid = ANY ($1::oid[])",
            [.arrayLiteral(tables.map { "\($0)" })])
        return Set(found.rows.compactMap { $0[0].flatMap { UInt32($0) } })
    }
}
