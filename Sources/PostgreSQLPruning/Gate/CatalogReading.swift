extension CatalogFacts {
    /// The facts of these tables, named as in a rule, and of no other. A table that is not there is left out.
    init(of names: some Sequence<String>, in connection: Connection) throws {
        for name in Set(names) {
            guard let relation = try connection.relationIfAny(name),
                relation.kind == .table || relation.kind == .partitioned
            else { continue }
            tables[name] = try connection.facts(of: relation, called: name)
        }
    }
}

extension Connection {
    fileprivate func facts(of relation: Relation, called name: String) throws -> CatalogFacts.Table {
        var table = CatalogFacts.Table(name: name)
        table.columns = try relation.columns.map { column in
            CatalogFacts.Column(
                name: column.name, type: try CatalogFacts.words(of: column.type),
                isNotNull: column.isNotNull, isGenerated: column.isGenerated)
        }
        table.primaryKey = relation.primaryKey
        table.uniqueIndexes = try uniqueIndexes(of: relation)
        table.foreignKeys = try keys(of: relation)
        table.triggers = try triggers(on: relation)
        return table
    }

    /// Columns in parentheses, or the end of the definition from its expressions on.
    private func uniqueIndexes(of relation: Relation) throws -> Set<[String]> {
        let rows = try query(
            """
            SELECT CASE WHEN i.indexprs IS NULL AND i.indpred IS NULL THEN (SELECT array_to_json(array_agg(a.attname \
            ORDER BY a.attname::text COLLATE "C")) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts) END, \
            pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = $1 AND i.indisunique AND NOT i.indisprimary
            """, ["\(relation.oid)"]
        ).rows
        return Set(
            try rows.map { row in
                if let columns = row[0].map(JSONNames.parse) {
                    return try CatalogFacts.words(
                        of: "(" + columns.map(\.quotedIdentifier).joined(separator: ", ") + ")")
                }
                // The name of an index, and its schema, mean nothing.
                let words = try CatalogFacts.words(of: row[1] ?? "")
                return ["index"] + words.drop { $0 != "using" }
            })
    }

    private func keys(of relation: Relation) throws -> Set<[String]> {
        let rows = try query(
            """
            SELECT (SELECT array_to_json(array_agg(a.attname ORDER BY k.place)) FROM unnest(c.conkey) WITH ORDINALITY \
            AS k (number, place) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number), \
            CASE WHEN p.relnamespace = o.relnamespace THEN '' ELSE n.nspname END, p.relname, \
            (SELECT array_to_json(array_agg(a.attname ORDER BY k.place)) FROM unnest(c.confkey) WITH ORDINALITY \
            AS k (number, place) JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number), \
            c.confdeltype, c.confupdtype FROM pg_constraint c JOIN pg_class p ON p.oid = c.confrelid \
            JOIN pg_class o ON o.oid = c.conrelid JOIN pg_namespace n ON n.oid = p.relnamespace \
            WHERE c.contype = 'f' AND c.conrelid = $1 AND c.conparentid = 0 AND \(Self.isEnforced("c"))
            """, ["\(relation.oid)"]
        ).rows
        let actions = ["c": "cascade", "r": "restrict", "n": "set null", "d": "set default"]
        return Set(
            try rows.map { row in
                let list = { (names: String?) in
                    "(" + JSONNames.parse(names ?? "[]").map(\.quotedIdentifier).joined(separator: ", ") + ")"
                }
                let schema = row[1].flatMap { $0.isEmpty ? nil : $0.quotedIdentifier + "." } ?? ""
                let parent = schema + (row[2] ?? "").quotedIdentifier
                let onDelete = actions[row[4] ?? ""].map { " on delete \($0)" } ?? ""
                let onUpdate = actions[row[5] ?? ""].map { " on update \($0)" } ?? ""
                return try CatalogFacts.words(
                    of: "\(list(row[0])) references \(parent) \(list(row[3]))\(onDelete)\(onUpdate)")
            })
    }

    /// When each fires, and a digest of its function, its condition and its arguments. Blanks do not count.
    private func triggers(on relation: Relation) throws -> [String: [String]] {
        let rows = try query(
            """
            SELECT t.tgname, concat_ws(' ', CASE WHEN t.tgtype & 2 > 0 THEN 'before' WHEN t.tgtype & 64 > 0 THEN 'instead' \
            ELSE 'after' END, CASE WHEN t.tgtype & 4 > 0 THEN 'insert' END, CASE WHEN t.tgtype & 16 > 0 THEN 'update' END, \
            CASE WHEN t.tgtype & 8 > 0 THEN 'delete' END, CASE WHEN t.tgtype & 32 > 0 THEN 'truncate' END, \
            CASE WHEN t.tgtype & 1 > 0 THEN 'row' ELSE 'statement' END, \
            CASE WHEN t.tgenabled = 'D' THEN 'disabled' END, CASE WHEN p.prosecdef THEN 'definer' END, \
            quote_literal(md5(concat_ws(E'\\n', l.lanname, p.proname, btrim(regexp_replace(p.prosrc, '\\s+', ' ', 'g')), p.probin, \
            p.proconfig::text, encode(t.tgargs, 'hex'), \
            substring(pg_get_triggerdef(t.oid) FROM ' WHEN (.*) EXECUTE '), (SELECT string_agg(a.attname, ',' \
            ORDER BY a.attname::text COLLATE "C") FROM pg_attribute a WHERE a.attrelid = t.tgrelid \
            AND a.attnum = ANY (t.tgattr::int2[])))))) FROM pg_trigger t \
            JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang \
            WHERE t.tgrelid = $1 AND NOT t.tgisinternal
            """, ["\(relation.oid)"]
        ).rows
        return Dictionary(
            rows.map { ($0[0] ?? "", ($0[1] ?? "").split(separator: " ").map(String.init)) },
            uniquingKeysWith: { $1 })
    }
}
