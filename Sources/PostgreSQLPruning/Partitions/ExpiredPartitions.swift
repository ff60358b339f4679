import Retention
import RuleEngine

/// The partitions of a rule with `partitions = "drop"`, of which every row has expired.
struct ExpiredPartitions: Equatable {
    /// The partitions, oldest first.
    let leaves: [Relation]

    /// Nil if the rule deletes rows alone. Throws a ``SchemaMismatch`` if a partition cannot go as a whole.
    init?(
        of rule: RetentionRule, _ relation: Relation, leaves all: [Relation], from first: String?,
        before cutoff: String?, in connection: Connection
    ) throws {
        guard rule.partitions == .drop, let column = rule.expiry.column, let first, let cutoff else {
            return nil
        }
        try Self.check(rule, relation, in: connection)
        let bounds = try Self.bounds(of: relation, in: connection)
        let type = relation[column]?.baseType ?? ""
        let expired = try bounds.filter { try $0.isWithin(type, first, cutoff, in: connection) }
        let byOID = Dictionary(all.map { ($0.oid, $0) }) { first, _ in first }
        leaves = expired.compactMap { byOID[$0.oid] }
        for leaf in leaves { try Self.refuseDependents(of: leaf, in: connection) }
    }

    /// Throws a ``SchemaMismatch`` if partitions of the table cannot go as a whole, or not by this role.
    static func check(_ rule: RetentionRule, _ relation: Relation, in connection: Connection) throws {
        guard rule.partitions == .drop, let column = rule.expiry.column else { return }
        let keys = [RuleKey.partitions.rawValue]
        guard relation.kind == .partitioned else {
            throw SchemaMismatch(
                "\(relation.description) is not partitioned", hint: "remove partitions from the rule",
                keys: keys)
        }
        if let key = try connection.foreignKeys(to: relation.oid).first {
            throw SchemaMismatch(
                "rows of other tables refer to \(relation.description) (foreign key \(key.name)), so a partition cannot be"
                    + " dropped",
                hint: "remove partitions from the rule: its rows are deleted one by one", keys: keys)
        }
        guard !relation.isHypertable else { return try Hypertables.check(rule, relation, in: connection) }
        let found = try connection.query(
            """
            SELECT p.partstrat, (SELECT array_to_json(array_agg(coalesce(a.attname, '') ORDER BY k.place)) \
            FROM unnest(p.partattrs::int2[]) WITH ORDINALITY AS k (number, place) LEFT JOIN pg_attribute a \
            ON a.attrelid = p.partrelid AND a.attnum = k.number), p.partdefid <> 0, \
            pg_has_role(c.relowner, 'USAGE'), pg_get_userbyid(c.relowner), current_user \
            FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid WHERE p.partrelid = $1
            """, ["\(relation.oid)"])
        guard found.text(0, 0) == "r", JSONNames.parse(found.text(0, 1) ?? "[]") == [column] else {
            throw SchemaMismatch(
                "\(relation.description) is not partitioned by ranges of \(column) alone",
                hint: "remove partitions from the rule: its rows are deleted one by one", keys: keys)
        }
        guard !found.isTrue(0, 2) else {
            throw SchemaMismatch(
                "\(relation.description) has a default partition, which takes rows of every time",
                hint: "remove partitions from the rule, or the default partition from the table", keys: keys)
        }
        guard found.isTrue(0, 3) else {
            let (owner, role) = (found.text(0, 4) ?? "", found.text(0, 5) ?? "")
            throw SchemaMismatch(
                "only the owner of \(relation.description) may drop its partitions",
                hint: "GRANT \(owner.quotedIdentifier) TO \(role.quotedIdentifier)",
                keys: keys)
        }
    }

    // MARK: - Bounds

    /// The bounds of a partition, as the catalog writes them.
    private struct Bounds {
        let oid: UInt32
        /// Literals; nil for MINVALUE and MAXVALUE.
        let lower: String?
        let upper: String?

        /// Whether all times between the bounds are plausible and before the cutoff.
        func isWithin(_ type: String, _ first: String, _ cutoff: String, in connection: Connection) throws
            -> Bool
        {
            guard let lower, let upper else { return false }
            return try connection.query(
                "SELECT $1::\(type) >= \(first) AND $2::\(type) <= \(cutoff)", [lower, upper]
            )
            .isTrue(0, 0)
        }
    }

    private static func bounds(of relation: Relation, in connection: Connection) throws -> [Bounds] {
        guard !relation.isHypertable else { return try chunkBounds(of: relation, in: connection) }
        let found = try connection.query(
            """
            SELECT c.oid, m[1], m[2] FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
            CROSS JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid), \
            '^FOR VALUES FROM \\((.*)\\) TO \\((.*)\\)$') AS m \
            WHERE i.inhparent = $1 AND c.relkind = 'r' AND NOT i.inhdetachpending ORDER BY c.oid
            """, ["\(relation.oid)"])
        return found.rows.map { row in
            Bounds(oid: UInt32(row[0] ?? "") ?? 0, lower: literal(row[1]), upper: literal(row[2]))
        }
    }

    /// The bounds of chunks are instants, or numbers; a local time is read as UTC.
    private static func chunkBounds(of table: Relation, in connection: Connection) throws -> [Bounds] {
        try connection.query(
            """
            SELECT c.oid, coalesce(k.range_start::text, k.range_start_integer::text), \
            coalesce(k.range_end::text, k.range_end_integer::text) FROM timescaledb_information.chunks k \
            JOIN pg_namespace n ON n.nspname = k.chunk_schema JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = k.chunk_name \
            WHERE (k.hypertable_schema, k.hypertable_name) = ($1, $2) ORDER BY k.range_start, k.range_start_integer
            """, [table.schema, table.name]
        ).rows.map { Bounds(oid: UInt32($0[0] ?? "") ?? 0, lower: $0[1], upper: $0[2]) }
    }

    /// The value of a literal; nil for MINVALUE, MAXVALUE and anything unknown.
    private static func literal(_ text: String?) -> String? {
        guard let text else { return nil }
        if text.hasPrefix("'"), text.hasSuffix("'"), text.count > 2 {
            return String(text.dropFirst().dropLast()).replacing("''", with: "'")
        }
        return Int64(text) == nil ? nil : text
    }

    // MARK: - What needs them

    /// Throws a ``SchemaMismatch`` if something outside of the partition needs it, such as a view. Once detached it could
    /// then not be dropped, and its rows would be seen by nobody.
    private static func refuseDependents(of leaf: Relation, in connection: Connection) throws {
        let found = try connection.query(
            """
            SELECT pg_describe_object(d.classid, d.objid, 0) FROM pg_depend d JOIN pg_class c ON c.oid = $1 \
            WHERE (d.refclassid, d.refobjid) IN (('pg_class'::regclass, c.oid), ('pg_type'::regclass, c.reltype)) \
            AND d.deptype = 'n' AND c.oid IS DISTINCT FROM CASE d.classid WHEN 'pg_class'::regclass THEN d.objid \
            WHEN 'pg_constraint'::regclass THEN (SELECT conrelid FROM pg_constraint WHERE oid = d.objid) \
            WHEN 'pg_attrdef'::regclass THEN (SELECT adrelid FROM pg_attrdef WHERE oid = d.objid) \
            WHEN 'pg_trigger'::regclass THEN (SELECT tgrelid FROM pg_trigger WHERE oid = d.objid) \
            WHEN 'pg_policy'::regclass THEN (SELECT polrelid FROM pg_policy WHERE oid = d.objid) \
            WHEN 'pg_rewrite'::regclass THEN (SELECT ev_class FROM pg_rewrite WHERE oid = d.objid) END LIMIT 1
            """, ["\(leaf.oid)"])
        // A sequence goes with the column that owns it, but not while the default of another table takes its values.
        let sequences = try connection.query(
            """
            SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend s JOIN pg_class q ON q.oid = s.objid \
            JOIN pg_depend d ON (d.refclassid, d.refobjid) = ('pg_class'::regclass, q.oid) \
            LEFT JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid \
            WHERE (s.classid, s.refclassid, s.refobjid) = ('pg_class'::regclass, 'pg_class'::regclass, $1::oid) \
            AND s.deptype IN ('a', 'i') AND q.relkind = 'S' AND d.deptype = 'n' AND f.adrelid IS DISTINCT FROM $1::oid LIMIT 1
            """, ["\(leaf.oid)"])
        guard let dependent = found.rows.first?[0] ?? sequences.rows.first?[0] else { return }
        throw SchemaMismatch(
            "\(dependent) needs partition \(leaf.description), which therefore cannot be dropped",
            hint: "drop that first, or remove partitions from the rule: rows are then deleted one by one",
            keys: [RuleKey.partitions.rawValue])
    }
}
