/// Tells whether what a rule was bound to is still in the catalog, inside of a batch's transaction.
///
/// The batch has locks on the tables by then, so that no later change can commit before it does.
struct SchemaWatch {
    /// The tables that the rule reads, writes or reaches.
    private var tables: [UInt32]
    /// The state when the rule was bound.
    private(set) var state: String?

    init(_ bound: BoundRule) {
        var tables = [bound.relation.oid] + bound.leaves.map(\.oid) + bound.keepers.map(\.relation.oid)
        tables += bound.cascades.map(\.child) + [bound.tombstones?.relation.oid].compactMap(\.self)
        tables += bound.expressions.tables.map(\.oid)
        self.tables = Array(Set(tables)).sorted()
    }

    /// The rows of the catalog that describe the tables, with the transactions that wrote them, as one number. VACUUM and
    /// ANALYZE write in place and change none.
    static let question = """
        hashtextextended(concat_ws('|', \
        (SELECT string_agg(c.oid || ':' || c.xmin, ',' ORDER BY c.oid) FROM pg_class c WHERE c.oid = ANY ($1::oid[])), \
        (SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin, ',' ORDER BY a.attrelid, a.attnum) \
        FROM pg_attribute a WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0), \
        (SELECT string_agg(t.oid || ':' || t.xmin, ',' ORDER BY t.oid) FROM pg_trigger t \
        WHERE t.tgrelid = ANY ($1::oid[])), \
        (SELECT string_agg(r.oid || ':' || r.xmin, ',' ORDER BY r.oid) FROM pg_rewrite r \
        WHERE r.ev_class = ANY ($1::oid[])), \
        (SELECT string_agg(p.oid || ':' || p.xmin, ',' ORDER BY p.oid) FROM pg_policy p \
        WHERE p.polrelid = ANY ($1::oid[]))), 0)
        """

    var array: String { "{" + tables.map(String.init).joined(separator: ",") + "}" }

    mutating func forget(_ table: UInt32) { tables.removeAll { $0 == table } }

    mutating func note(in connection: Connection) throws {
        state = try connection.query("SELECT \(Self.question)", [array]).text(0, 0)
    }
}
