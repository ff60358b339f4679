/// Partitions that an earlier run began to detach and did not drop. Nobody sees their rows.
struct LeftPartitions {
    /// Those whose detachment is to be finished first, and those that are tables of their own by now.
    let tables: [Relation]

    /// One that somebody gave another name is theirs.
    init(of relation: Relation, in connection: Connection) throws {
        let found = try connection.query(
            """
            SELECT c.oid FROM pg_description d JOIN pg_class c ON c.oid = d.objoid \
            JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_inherits i ON i.inhrelid = c.oid \
            WHERE d.classoid = 'pg_class'::regclass AND d.objsubid = 0 AND c.relkind = 'r' \
            AND (i.inhrelid IS NULL OR i.inhdetachpending AND i.inhparent = $1) \
            AND d.description = 'pruned detaches table ' || n.nspname || '.' || c.relname || ' (' || c.oid || \
            ') from table ' || $1 || ' to drop it; without this comment it stays' \
            AND pg_has_role(c.relowner, 'USAGE') ORDER BY c.oid
            """, ["\(relation.oid)"])
        tables = try found.rows.map { try connection.relation(UInt32($0[0] ?? "") ?? 0) }
    }

    /// The comment that a partition gets before it is detached, so that a run that is killed before it drops the table leaves
    /// a table that the next run finds.
    static func comment(on leaf: Relation, of relation: Relation) -> String {
        "pruned detaches table \(leaf.schema).\(leaf.name) (\(leaf.oid)) from table \(relation.oid) to drop it;"
            + " without this comment it stays"
    }

    /// How many of their rows have expired by `condition`.
    func expired(by condition: ExpiryCondition, in connection: Connection) throws -> Int64 {
        try tables.reduce(0) { sum, leaf in
            let found = try connection.query(
                "SELECT count(*) \(condition.from(leaf)) WHERE \(condition.isPast.joined(separator: " AND "))"
            )
            return sum + (found.integer(0, 0) ?? 0)
        }
    }
}
