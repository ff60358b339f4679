/// Locks that keep others from putting triggers and rules on tables, and no app from writing.
struct TableLocks {
    private let tables: [String]

    /// Of more tables than this, the locks would take too long. Code on the others is found by the look after it ran.
    private static let most = 64

    init(_ tables: [UInt32], in connection: Connection) throws {
        self.tables = try connection.query(
            """
            SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n \
            ON n.oid = c.relnamespace WHERE c.oid = ANY ($1::oid[]) AND c.relkind IN ('r', 'p') \
            AND has_schema_privilege(n.oid, 'USAGE') ORDER BY c.oid LIMIT \(Self.most)
            """, [.arrayLiteral(tables.map { "\($0)" })]
        ).rows.compactMap { $0[0] }
    }

    /// SQL that takes the locks. LOCK TABLE would need rights on tables of which a foreign key deletes rows; to prepare a
    /// DELETE needs none, runs nothing, and leaves its lock, ROW EXCLUSIVE, until the transaction ends.
    func sql(with leaf: Relation? = nil) -> String {
        ([leaf?.sql].compactMap(\.self) + tables).map {
            "PREPARE pruned_lock AS DELETE FROM ONLY \($0); DEALLOCATE pruned_lock"
        }.joined(separator: "; ")
    }
}
