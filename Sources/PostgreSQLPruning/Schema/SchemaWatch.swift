import Pruning

/// Tells whether what a statement was made for is still in the catalog, inside of the transaction that changes rows.
///
/// The transaction has locks on the tables by then, so that no later change of them can commit before it does. A schema has
/// no lock: whoever owns it can give its name to another one at any time, and so the names of the tables, also back again
/// before the transaction ends. But each such change leaves its number on the schema's row.
struct SchemaWatch {
    /// The tables that are read, written or reached.
    private var tables: [UInt32]
    /// The types of their columns, and those of which these are made.
    private var types: [UInt32] = []
    /// The state when the statements were made.
    private var state: String?

    init(tables: [UInt32]) { self.tables = Array(Set(tables)).sorted() }

    /// The rows of the catalog that describe the tables and the code on them, with the transactions that wrote them, as one
    /// number. VACUUM, ANALYZE and REINDEX change none. Of an index the functions matter, which are run while a statement is
    /// planned.
    static let question = """
        hashtextextended(concat_ws('|', \
        (SELECT string_agg(c.oid || ':' || c.xmin, ',' ORDER BY c.oid) FROM pg_class c WHERE c.oid = ANY ($1::oid[])), \
        (SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin, ',' ORDER BY a.attrelid, a.attnum) \
        FROM pg_attribute a WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0), \
        (SELECT string_agg(t.oid || ':' || t.xmin || ':' || p.xmin, ',' ORDER BY t.oid) FROM pg_trigger t \
        JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = ANY ($1::oid[])), \
        (SELECT string_agg(r.oid || ':' || r.xmin, ',' ORDER BY r.oid) FROM pg_rewrite r \
        WHERE r.ev_class = ANY ($1::oid[])), \
        (SELECT string_agg(p.oid || ':' || p.xmin, ',' ORDER BY p.oid) FROM pg_policy p \
        WHERE p.polrelid = ANY ($1::oid[])), \
        (SELECT string_agg(i.indexrelid::text, ',' ORDER BY i.indexrelid) FROM pg_index i \
        WHERE i.indrelid = ANY ($1::oid[]) AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)), \
        (SELECT string_agg(s.oid || ':' || s.xmin, ',' ORDER BY s.oid) FROM pg_statistic_ext s \
        WHERE s.stxrelid = ANY ($1::oid[])), \
        (SELECT string_agg(d.oid || ':' || d.xmin, ',' ORDER BY d.oid) FROM pg_attrdef d \
        WHERE d.adrelid = ANY ($1::oid[])), \
        (SELECT string_agg(k.oid || ':' || k.xmin, ',' ORDER BY k.oid) FROM pg_constraint k \
        WHERE k.contypid = ANY ($2::oid[])), \
        (SELECT string_agg(t.oid || ':' || t.xmin, ',' ORDER BY t.oid) FROM pg_type t WHERE t.oid = ANY ($2::oid[])), \
        (SELECT string_agg(n.oid || ':' || n.xmin, ',' ORDER BY n.oid) FROM pg_namespace n WHERE n.oid IN \
        (SELECT c.relnamespace FROM pg_class c WHERE c.oid = ANY ($1::oid[]) UNION ALL SELECT t.typnamespace \
        FROM pg_type t WHERE t.oid = ANY ($2::oid[])))), 0)
        """

    /// The values of ``question``.
    var values: [String] { [Self.array(tables), Self.array(types)] }

    private static func array(_ numbers: [UInt32]) -> String {
        "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }

    /// Notes the state, in a transaction that sees what the statements were made of. `leftOut` are partitions that go as a
    /// whole.
    mutating func note(besides leftOut: [UInt32] = [], in connection: Connection) throws {
        // Partitions of a table that is read or written are watched as well.
        tables = try connection.query(
            """
            SELECT DISTINCT coalesce(p.relid::oid, t) FROM unnest($1::oid[]) t LEFT JOIN LATERAL pg_partition_tree(t) p ON true \
            WHERE EXISTS (SELECT FROM pg_class c WHERE c.oid = coalesce(p.relid::oid, t)) \
            AND coalesce(p.relid::oid, t) <> ALL ($2::oid[]) ORDER BY 1
            """, [Self.array(tables), Self.array(leftOut)]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }
        types = try connection.query(
            "WITH RECURSIVE type (oid) AS (\(ColumnTypes.all(of: "a.attrelid = ANY ($1::oid[])"))) SELECT oid FROM type",
            [Self.array(tables)]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }.sorted()
        state = try connection.query("SELECT \(Self.question)", values).text(0, 0)
    }

    /// Whether `found`, an answer to ``question``, is the state that was noted.
    func isUnchanged(_ found: String?) -> Bool { found == state }
}

/// The catalog has changed since the statements were made.
struct SchemaChanged: PlacelessError {
    func error(of operation: String, place: String) -> StoreError {
        StoreError(
            .schema, operation: operation, place: place, cause: "the schema changed meanwhile",
            hint: "what was begun was rolled back; the next run looks again whether the rules fit")
    }
}
