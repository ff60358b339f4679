/// Tables that belong together.
enum PartitionTree {
    /// SQL, a query in parentheses: the table, and all its partitions, chunks and heirs, at any level.
    static func below(_ table: String) -> String {
        """
        (WITH RECURSIVE part (oid) AS (SELECT \(table)::oid UNION SELECT i.inhrelid FROM part \
        JOIN pg_inherits i ON i.inhparent = part.oid) SELECT oid FROM part)
        """
    }
}

extension Connection {
    /// The table and all its partitions, at any level, and the tables of which it is a partition.
    func partitionTree(of table: UInt32) throws -> [UInt32] {
        let found = try query(
            """
            SELECT p.oid FROM (WITH RECURSIVE whole (oid) AS (SELECT $1::oid UNION SELECT i.inhparent FROM whole \
            JOIN pg_inherits i ON i.inhrelid = whole.oid) SELECT oid FROM whole) a \
            CROSS JOIN LATERAL \(PartitionTree.below("a.oid")) p
            """, ["\(table)"]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }
        return Array(Set(found + [table])).sorted()
    }
}
