/// Reads the code of tables from the catalog.
extension Connection {
    /// The triggers, rules and policies that a statement on the rows would run.
    func statements(on rows: ReachedRows) throws -> [ReachedCode.Finding] {
        let operation = rows.operation
        let found = try query(
            """
            SELECT 'trigger', c.relname, n.nspname, t.tgname, pg_get_triggerdef(t.oid) || E'\\n' || \
            pg_get_functiondef(t.tgfoid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE t.tgrelid = ANY ($1::oid[]) AND NOT t.tgisinternal \
            AND t.tgenabled IN ('O', 'A') AND t.tgtype & $2::int <> 0 AND ($3::text[] IS NULL OR t.tgtype & 16 = 0 OR \
            cardinality(t.tgattr::int2[]) = 0 OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.tgrelid \
            AND a.attnum = ANY (t.tgattr::int2[]) AND (a.attgenerated <> '' OR a.attname = ANY ($3::text[])))) \
            UNION ALL SELECT 'rule', c.relname, n.nspname, r.rulename, pg_get_ruledef(r.oid) FROM pg_rewrite r \
            JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE r.ev_class = ANY ($1::oid[]) AND r.ev_type = $4 AND r.ev_enabled IN ('O', 'A') \
            UNION ALL SELECT 'policy', c.relname, n.nspname, coalesce((SELECT string_agg(p.polname, ', ' \
            ORDER BY p.polname) FROM pg_policy p WHERE p.polrelid = c.oid), 'no policy'), '' FROM pg_class c \
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY ($1::oid[]) AND row_security_active(c.oid)
            """,
            [
                .arrayLiteral(rows.tables.map { "\($0)" }), "\(operation.triggerBit)",
                operation.columns.map { .arrayLiteral($0) },
                operation.ruleType,
            ])
        return try findings(found)
    }

    /// The calculations of the table's own that call functions of somebody who is no superuser.
    ///
    /// A value is checked by the domains of which its type is made: one below another, of elements, fields, and bounds.
    /// Those of indexes, statistics and partitions are evaluated while a statement is planned, as far as they are
    /// constant; so are checks of partitions. What a generated column calls hangs on its default; in PostgreSQL 14 on the
    /// column itself. That an expression calls functions of PostgreSQL's own is no dependency; the expression itself has
    /// their numbers.
    func calculations(on rows: ReachedRows) throws -> [ReachedCode.Finding] {
        var given: [String]?
        if case .insert(let columns) = rows.operation { given = columns }
        let found = try query(
            """
            WITH RECURSIVE expression (kind, classid, objid, subid, name, relid) AS (\
            SELECT 'index', 'pg_class'::regclass, i.indexrelid, 0, c.relname, i.indrelid FROM pg_index i \
            JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = ANY ($1::oid[]) \
            UNION ALL SELECT 'statistics', 'pg_statistic_ext'::regclass, s.oid, 0, s.stxname, s.stxrelid FROM pg_statistic_ext s \
            WHERE s.stxrelid = ANY ($1::oid[]) \
            UNION ALL SELECT 'partition', 'pg_class'::regclass, c.oid, 0, c.relname, c.oid FROM pg_class c WHERE c.oid = ANY ($1::oid[]) \
            UNION ALL SELECT 'check', 'pg_constraint'::regclass, k.oid, 0, k.conname, k.conrelid FROM pg_constraint k \
            JOIN pg_class c ON c.oid = k.conrelid WHERE k.conrelid = ANY ($1::oid[]) AND k.contype = 'c' \
            AND ($2::boolean OR c.relispartition OR current_setting('constraint_exclusion') = 'on') \
            UNION ALL SELECT CASE WHEN a.attgenerated = '' THEN 'default' ELSE 'generated column' END, \
            h.classid, h.objid, h.subid, a.attname, d.adrelid FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid \
            AND a.attnum = d.adnum CROSS JOIN LATERAL (VALUES ('pg_attrdef'::regclass, d.oid, 0), \
            ('pg_class'::regclass, d.adrelid, d.adnum::int)) h (classid, objid, subid) WHERE d.adrelid = ANY ($1::oid[]) AND $2::boolean \
            AND (a.attgenerated <> '' OR NOT a.attname = ANY ($3::text[])) \
            ), type (oid) AS (\(ColumnTypes.all(of: "a.attrelid = ANY ($1::oid[]) AND $2::boolean", and: """
            UNION SELECT d.refobjid FROM expression e JOIN pg_depend d ON d.classid = e.classid AND d.objid = e.objid \
            AND d.objsubid = e.subid WHERE d.refclassid = 'pg_type'::regclass
            """))), \
            part AS (SELECT * FROM expression \
            UNION ALL SELECT 'domain', 'pg_constraint'::regclass, k.oid, 0, t.typname, r.relid FROM type JOIN pg_type t USING (oid) \
            JOIN pg_constraint k ON k.contypid = t.oid CROSS JOIN unnest($1::oid[]) r (relid) \
            UNION ALL SELECT 'domain', 'pg_type'::regclass, t.oid, 0, t.typname, r.relid FROM type \
            JOIN pg_type t USING (oid) CROSS JOIN unnest($1::oid[]) r (relid)), \
            call (kind, name, relid, function) AS (\
            SELECT p.kind, p.name, p.relid, f.oid FROM part p JOIN pg_depend d \
            ON d.classid = p.classid AND d.objid = p.objid AND d.objsubid = p.subid CROSS JOIN LATERAL (\
            SELECT d.refobjid WHERE d.refclassid = 'pg_proc'::regclass \
            UNION ALL SELECT n.oprcode FROM pg_operator o JOIN pg_operator n ON n.oid IN (o.oid, o.oprnegate, o.oprcom) \
            WHERE d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid) f (oid) \
            UNION ALL SELECT p.kind, p.name, p.relid, f.own[1]::oid FROM part p CROSS JOIN LATERAL (\
            SELECT conbin::text FROM pg_constraint WHERE p.classid = 'pg_constraint'::regclass AND oid = p.objid \
            UNION ALL SELECT adbin::text FROM pg_attrdef WHERE p.classid = 'pg_attrdef'::regclass AND oid = p.objid \
            UNION ALL SELECT typdefaultbin::text FROM pg_type WHERE p.classid = 'pg_type'::regclass AND oid = p.objid) t (tree) \
            CROSS JOIN LATERAL regexp_matches(t.tree, ':funcid ([0-9]+)', 'g') f (own)) \
            SELECT DISTINCT k.kind, c.relname, n.nspname, k.name, f.oid::regprocedure::text FROM call k \
            JOIN pg_proc f ON f.oid = k.function JOIN pg_namespace m ON m.oid = f.pronamespace \
            JOIN pg_roles r ON r.oid = f.proowner JOIN pg_class c ON c.oid = k.relid JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE \(Self.isOfOthers)
            """,
            [
                .arrayLiteral(rows.tables.map { "\($0)" }), rows.operation.writesRows ? "t" : "f",
                .arrayLiteral(given ?? []),
            ])
        return try findings(found)
    }

    /// The same of a table that is only read: while such a statement is planned.
    func calculations(readFrom table: UInt32) throws -> [ReachedCode.Finding] {
        try calculations(on: ReachedRows(tables: partitionTree(of: table), operation: .delete))
    }

    /// The casts of the types of a table's columns that call functions of somebody who is no superuser. Who owns a type can
    /// put one between a value and the column of another type that takes it.
    func casts(of table: Relation) throws -> [ReachedCode.Finding] {
        let found = try query(
            """
            WITH RECURSIVE type (oid) AS (\(ColumnTypes.all(of: "a.attrelid = $1"))) \
            SELECT DISTINCT 'cast', $2, $3, format_type(k.castsource, -1) || ' to ' || format_type(k.casttarget, -1), \
            f.oid::regprocedure::text FROM type JOIN pg_type t USING (oid) JOIN pg_cast k ON t.oid IN (k.castsource, k.casttarget) \
            JOIN pg_proc f ON f.oid = k.castfunc JOIN pg_namespace m ON m.oid = f.pronamespace \
            JOIN pg_language l ON l.oid = f.prolang AND l.lanname <> 'internal' \
            JOIN pg_roles r ON r.oid = f.proowner WHERE t.typnamespace <> 'pg_catalog'::regnamespace AND \(Self.isOfOthers)
            """, ["\(table.oid)", table.name, table.schema])
        return try findings(found)
    }

    /// SQL that is true of a function `f`, in the namespace `m` and of the owner `r`, that is neither PostgreSQL's own nor of
    /// a superuser's extension, or that runs SQL of a text or has effects of its own, as PostgreSQL's `query_to_xml` and
    /// `set_config` do.
    private static let isOfOthers = """
        (NOT (r.rolsuper AND (m.nspname = 'pg_catalog' OR EXISTS (SELECT FROM pg_depend e \
        WHERE e.classid = 'pg_proc'::regclass AND e.objid = f.oid AND e.deptype = 'e'))) \
        OR m.nspname = 'pg_catalog' AND (f.proname LIKE '%\\_to\\_xml%' OR f.proname IN ('ts_stat', 'ts_rewrite') \
        OR f.provolatile = 'v' AND f.proname NOT IN ('nextval', 'random', 'random_normal', 'clock_timestamp', 'timeofday', \
        'gen_random_uuid', 'uuidv4', 'uuidv7')))
        """

    private func findings(_ found: QueryResult) throws -> [ReachedCode.Finding] {
        found.rows.compactMap { row in
            guard let kind = row[0].flatMap(ReachedCode.Finding.Kind.init) else { return nil }
            let (table, schema) = (row[1] ?? "", row[2] ?? "")
            return ReachedCode.Finding(
                kind: kind, table: schema == Relation.usualSchema ? table : "\(schema).\(table)",
                name: row[3] ?? "", definition: row[4] ?? "")
        }
    }
}
