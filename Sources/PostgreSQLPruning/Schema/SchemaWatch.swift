import Pruning

/// Tells whether what a statement was made for is still in the catalog, inside of the transaction that changes rows.
///
/// The transaction has locks on the tables by then, so that no later change of them can commit before it does. A schema has
/// no lock: whoever owns it can give its name to another one at any time, and so the names of the tables, also back again
/// before the transaction ends. But each such change leaves its number on the schema's row.
struct SchemaWatch {
    /// The tables that each batch reads, writes or reaches.
    private var tables: [UInt32]
    /// The table whose rows go, as far as it and its partitions have no rows themselves.
    private let root: UInt32?
    /// The tables that have its rows. A batch reaches one of them.
    private let leaves: [UInt32]
    /// The types of the columns, and those of which these are made.
    private var types: [UInt32] = []
    /// The state when the statements were made, by the leaf at hand.
    private var states: [UInt32?: String] = [:]
    /// The leaf that the batch in hand reaches.
    var leaf: UInt32?

    /// `tables` are watched with their partitions; of the table `root` and its partitions only the `leaf` in hand is, with
    /// those above it.
    init(tables: [UInt32], root: UInt32? = nil, leaves: [UInt32] = []) {
        (self.tables, self.root, self.leaves) = (Array(Set(tables)).sorted(), root, leaves)
    }

    /// The rows of the catalog that describe the tables and the code on them, with the transactions that wrote them, as two
    /// numbers: of what all batches reach, and of the leaf at hand. So a batch costs the same however many partitions there are.
    static let question = """
        concat_ws(':', \(state("$1::oid[]", types: "$2::oid[]")), \(state("$3::oid[]", types: "'{}'::oid[]")))
        """

    /// VACUUM, ANALYZE and REINDEX change none of it. Of an index the functions matter, which are run while a statement is
    /// planned.
    private static func state(_ tables: String, types: String) -> String {
        let collations =
            "SELECT a.attcollation FROM pg_attribute a WHERE a.attrelid = ANY (\(tables)) AND a.attnum > 0"
        return """
            (SELECT hashtextextended(concat_ws('|', \
            (SELECT string_agg(c.oid || ':' || c.xmin, ',' ORDER BY c.oid) FROM pg_class c WHERE c.oid = ANY (\(tables))), \
            (SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin, ',' ORDER BY a.attrelid, a.attnum) \
            FROM pg_attribute a WHERE a.attrelid = ANY (\(tables)) AND a.attnum > 0), \
            (SELECT string_agg(t.oid || ':' || t.xmin || ':' || p.xmin, ',' ORDER BY t.oid) FROM pg_trigger t \
            JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = ANY (\(tables))), \
            (SELECT string_agg(r.oid || ':' || r.xmin, ',' ORDER BY r.oid) FROM pg_rewrite r \
            WHERE r.ev_class = ANY (\(tables))), \
            (SELECT string_agg(p.oid || ':' || p.xmin, ',' ORDER BY p.oid) FROM pg_policy p \
            WHERE p.polrelid = ANY (\(tables))), \
            (SELECT string_agg(i.indexrelid::text, ',' ORDER BY i.indexrelid) FROM pg_index i \
            WHERE i.indrelid = ANY (\(tables)) AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)), \
            (SELECT string_agg(s.oid || ':' || s.xmin, ',' ORDER BY s.oid) FROM pg_statistic_ext s \
            WHERE s.stxrelid = ANY (\(tables))), \
            (SELECT string_agg(d.oid || ':' || d.xmin, ',' ORDER BY d.oid) FROM pg_attrdef d \
            WHERE d.adrelid = ANY (\(tables))), \
            (SELECT string_agg(k.oid || ':' || k.xmin, ',' ORDER BY k.oid) FROM pg_constraint k \
            WHERE k.contypid = ANY (\(types))), \
            (SELECT string_agg(t.oid || ':' || t.xmin, ',' ORDER BY t.oid) FROM pg_type t WHERE t.oid = ANY (\(types))), \
            (SELECT string_agg(k.oid || ':' || k.xmin, ',' ORDER BY k.oid) FROM pg_cast k \
            WHERE k.castsource = ANY (\(types)) OR k.casttarget = ANY (\(types))), \
            (SELECT string_agg(o.oid || ':' || o.xmin, ',' ORDER BY o.oid) FROM pg_collation o \
            WHERE o.oid IN (\(collations))), \
            (SELECT string_agg(n.oid || ':' || n.xmin, ',' ORDER BY n.oid) FROM pg_namespace n WHERE n.oid IN \
            (SELECT c.relnamespace FROM pg_class c WHERE c.oid = ANY (\(tables)) UNION ALL SELECT t.typnamespace \
            FROM pg_type t WHERE t.oid = ANY (\(types)) UNION ALL SELECT o.collnamespace FROM pg_collation o \
            WHERE o.oid IN (\(collations))))), 0))
            """
    }

    /// The values of ``question``.
    var values: [String] { [Self.array(tables), Self.array(types), Self.array(leaf.map { [$0] } ?? [])] }

    private static func array(_ numbers: [UInt32]) -> String {
        "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }

    /// Notes the state, in a transaction that sees what the statements were made of. `leftOut` are partitions that go as a
    /// whole.
    mutating func note(besides leftOut: [UInt32] = [], in connection: Connection) throws {
        let leaves = Set(leaves).subtracting(leftOut).sorted()
        // Partitions of a table that is read or written are watched as well.
        tables = try connection.query(
            """
            SELECT DISTINCT f.oid FROM (SELECT p.oid FROM unnest($1::oid[]) t \
            CROSS JOIN LATERAL \(PartitionTree.below("t")) p \
            UNION ALL SELECT p.oid FROM \(PartitionTree.below("$3")) p WHERE p.oid <> ALL ($4::oid[])) f (oid) \
            WHERE EXISTS (SELECT FROM pg_class c WHERE c.oid = f.oid) AND f.oid <> ALL ($2::oid[]) ORDER BY 1
            """,
            [
                Self.array(tables), Self.array(leftOut), root.map { "\($0)" }, Self.array(self.leaves),
            ]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }
        types = try connection.query(
            "WITH RECURSIVE type (oid) AS (\(ColumnTypes.all(of: "a.attrelid = ANY ($1::oid[])"))) SELECT oid FROM type",
            [Self.array(tables + leaves)]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }.sorted()
        let state = Self.question.replacing("$3::oid[]", with: "array_remove(ARRAY[l.oid], NULL)")
        let found = try connection.query(
            "SELECT l.oid, \(state) FROM unnest($3::oid[]) l (oid)",
            [Self.array(tables), Self.array(types), leaves.isEmpty ? "{NULL}" : Self.array(leaves)])
        states = [:]
        for row in found.rows { states[row[0].flatMap { UInt32($0) }] = row[1] }
    }

    /// Whether `found`, an answer to ``question``, is the state that was noted.
    func isUnchanged(_ found: String?) -> Bool { found != nil && found == states[leaf] }
}

/// The catalog has changed since the statements were made.
struct SchemaChanged: PlacelessError {
    func error(of operation: String, place: String) -> StoreError {
        StoreError(
            .schema, operation: operation, place: place, cause: "the schema changed meanwhile",
            hint: "what was begun was rolled back; the next run looks again whether the rules fit")
    }
}
