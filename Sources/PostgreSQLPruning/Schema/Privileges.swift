/// What the role may do with a table.
extension Connection {
    /// Whether the role has the privilege, on the table and its schema.
    func hasPrivilege(_ privilege: String, on table: Relation) throws -> Bool {
        try query(
            """
            SELECT has_table_privilege($1::oid, $2) AND has_schema_privilege(relnamespace, 'USAGE') \
            FROM pg_class WHERE oid = $1::oid
            """, ["\(table.oid)", privilege]
        ).isTrue(0, 0)
    }

    /// The statement that gives the privilege, and the way to the table.
    func grant(_ privilege: String, on table: Relation) throws -> String {
        let facts = try query(
            """
            SELECT current_user, has_schema_privilege(relnamespace, 'USAGE') FROM pg_class WHERE oid = $1
            """, ["\(table.oid)"])
        let role = (facts.text(0, 0) ?? "").quotedIdentifier
        let usage = "GRANT USAGE ON SCHEMA \(table.schema.quotedIdentifier) TO \(role)"
        let grant = "GRANT \(privilege) ON \(table.sql) TO \(role)"
        return facts.isTrue(0, 1) ? grant : "\(usage); \(grant)"
    }
}
