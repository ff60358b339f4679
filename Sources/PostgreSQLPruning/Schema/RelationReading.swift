import RuleEngine

/// Reads tables from the catalog.
extension Connection {
    /// The table that a rule means by `name`. Throws a ``SchemaMismatch`` if there is none, or if the name means several.
    func relation(named name: String, preferring schema: String? = nil) throws -> Relation {
        let found = try names([name])
        let catalog = try Catalog(of: [name], found, in: self)
        let meant = try catalog.table(named: name, beside: schema.map { TableName(name, inSchema: $0) })
        guard let found = found.first(where: { $0.name == meant.name }) else {
            throw SchemaMismatch.gone(name)
        }
        return try relation(found.oid)
    }

    /// The same, or nil.
    func relationIfAny(_ name: String) throws -> Relation? {
        let found = try names([name])
        return try Catalog(of: [name], found, in: self).tableIfAny(named: name)
            .flatMap { meant in found.first { $0.name == meant.name } }.map { try relation($0.oid) }
    }

    /// What is called by one of these names, which are `table` or, qualified, `schema.table`.
    func names(_ names: [String]) throws -> [NamedRelation] {
        try query(
            """
            SELECT c.oid, n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (c.relname = ANY ($1::text[]) \
            OR n.nspname || '.' || c.relname = ANY ($1::text[])) \
            AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY n.nspname, c.relname
            """, [.arrayLiteral(names.sorted())]
        ).rows.map(NamedRelation.init)
    }

    /// The table with this number.
    func relation(_ oid: UInt32) throws -> Relation { try relations([oid])[0] }

    /// The tables with these numbers, in this order, by as many questions as one would take. Throws if one is gone.
    func relations(_ oids: [UInt32]) throws -> [Relation] {
        let numbers = String.arrayLiteral(oids.map { "\($0)" })
        let found = try query(
            """
            SELECT n.nspname, c.relname, c.relkind, c.relispartition, c.relrowsecurity, \
            EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid), c.reltuples, c.relpages, \
            EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid) AND c.relkind <> 'p' \
            FROM unnest($1::oid[]) WITH ORDINALITY t (oid, place) JOIN pg_class c USING (oid) \
            JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY t.place
            """, [numbers])
        guard found.count == oids.count else {
            throw SchemaMismatch.gone("a table of the rule")
        }
        let (columns, keys) = (try columns(of: numbers), try primaryKeys(of: numbers))
        let (hypertables, distributed) = (
            try hypertables(among: oids), try distributedTables(among: oids)
        )
        return oids.indices.map { row in
            let isHypertable = hypertables.contains(oids[row])
            return Relation(
                oid: oids[row], schema: found.text(row, 0) ?? "", name: found.text(row, 1) ?? "",
                kind: isHypertable
                    ? .partitioned : found.text(row, 2).flatMap(Relation.Kind.init) ?? .other,
                isPartition: found.isTrue(row, 3), hasChildren: found.isTrue(row, 8) && !isHypertable,
                isHypertable: isHypertable, isDistributed: distributed.contains(oids[row]),
                hasRules: found.isTrue(row, 5), hasRowSecurity: found.isTrue(row, 4),
                columns: columns[oids[row]] ?? [], primaryKey: keys[oids[row]] ?? [],
                estimatedRows: found.text(row, 6).flatMap(Double.init) ?? -1,
                estimatedPages: found.integer(row, 7) ?? -1)
        }
    }

    private func columns(of tables: String) throws -> [UInt32: [Relation.Column]] {
        let rows = try query(
            """
            SELECT a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), \
            format_type(b.oid, -1), a.attnotnull, a.attgenerated <> '', a.attidentity <> '', a.atthasdef, \
            b.typnamespace = 'pg_catalog'::regnamespace OR b.typtype = 'e' OR EXISTS (SELECT FROM pg_depend d WHERE \
            d.classid = 'pg_type'::regclass AND d.objid = b.oid AND d.deptype = 'e'), b.typtype = 'e', \
            b.typtype = 'b' AND b.typcategory <> 'A' AND b.typnamespace <> 'pg_catalog'::regnamespace, a.attrelid \
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
            JOIN pg_type b ON b.oid = (WITH RECURSIVE base (oid) AS (SELECT t.oid UNION ALL SELECT p.typbasetype \
            FROM base JOIN pg_type p USING (oid) WHERE p.typtype = 'd') \
            SELECT base.oid FROM base JOIN pg_type p USING (oid) WHERE p.typtype <> 'd') \
            WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """, [tables]
        ).rows
        return rows.reduce(into: [:]) { columns, row in
            let column = Relation.Column(
                name: row[0] ?? "", number: Int(row[1] ?? "") ?? 0, type: row[2] ?? "",
                baseType: row[3] ?? "",
                isNotNull: row[4] == "t", isGenerated: row[5] == "t", isIdentity: row[6] == "t",
                hasDefault: row[7] == "t", isTrusted: row[8] == "t", isEnumeration: row[9] == "t",
                hasOwnOperators: row[10] == "t")
            columns[UInt32(row[11] ?? "") ?? 0, default: []].append(column)
        }
    }

    private func primaryKeys(of tables: String) throws -> [UInt32: [String]] {
        let rows = try query(
            """
            SELECT i.indrelid, a.attname FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE i.indrelid = ANY ($1::oid[]) AND i.indisprimary ORDER BY k.place
            """, [tables]
        ).rows
        return rows.reduce(into: [:]) { $0[UInt32($1[0] ?? "") ?? 0, default: []].append($1[1] ?? "") }
    }
}

extension Relation {
    /// The column that the catalog has. A setting that was bound is never left out: throws if it is gone.
    func required(_ column: Table.Column) throws(SchemaMismatch) -> Column {
        guard let found = self[column.name] else {
            throw SchemaMismatch.gone("\(description).\(column.name)")
        }
        return found
    }
}

extension Relation.Column {
    /// Throws a ``SchemaMismatch`` if values are compared otherwise than by what `pg_catalog` has: `use` would take a citext
    /// for a text.
    func refuseOwnOperators(_ use: String, of relation: Relation, hint: String) throws {
        guard hasOwnOperators else { return }
        throw SchemaMismatch(
            "\(use) \(relation.description).\(name), whose type \(type) compares values in a way of its own",
            hint: hint)
    }
}
