/// Tables that belong together.
extension Connection {
    /// The table and all its partitions, at any level, and the tables of which it is a partition.
    func partitionTree(of table: UInt32) throws -> [UInt32] {
        let found = try query(
            """
            SELECT p.relid::oid FROM pg_partition_ancestors($1) a CROSS JOIN LATERAL pg_partition_tree(a.relid) p
            """, ["\(table)"]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }
        return Array(Set(found + [table])).sorted()
    }
}
