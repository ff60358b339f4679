import Retention
import RuleEngine

extension SchemaNames {
    static let postgresql = SchemaNames(ignoresCase: false, usualSchema: Relation.usualSchema)
}

extension StoreSchema {
    /// These tables, named as in a rule. One that is not there is left out.
    init(of names: some Sequence<String>, in connection: Connection) throws {
        self.init()
        for name in Set(names) {
            guard let relation = try connection.relationIfAny(name) else { continue }
            tables.append(try connection.schema(of: relation, called: name))
        }
    }
}

extension Connection {
    fileprivate func schema(of relation: Relation, called name: String) throws -> StoreSchema.Table {
        var table = StoreSchema.Table(name)
        table.columns = try relation.columns.map {
            StoreSchema.Column($0.name, try ColumnClass(formatted: $0.type))
        }
        table.primaryKey = relation.primaryKey
        table.uniqueKeys = try uniqueKeys(of: relation)
        table.foreignKeys = try schemaKeys(of: relation)
        table.triggers = try triggers(on: relation)
        return table
    }

    /// Columns in parentheses, or the end of the definition from its expressions on.
    private func uniqueKeys(of relation: Relation) throws -> Set<[String]> {
        let rows = try query(
            """
            SELECT CASE WHEN i.indexprs IS NULL AND i.indpred IS NULL THEN (SELECT array_to_json(array_agg(a.attname)) \
            FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts) END, \
            pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = $1 AND i.indisunique AND NOT i.indisprimary
            """, ["\(relation.oid)"]
        ).rows
        return Set(
            try rows.map { row in
                if let columns = row[0].map(JSONNames.parse) {
                    let words = columns.map { [$0.schemaWord] }.joined(separator: [","])
                    return StoreSchema.Table.uniqueKey(["("] + words + [")"])
                }
                // The name of an index, its schema and its method mean nothing.
                return Array(try SchemaWords.all(ofSQL: row[1] ?? "").drop { $0 != "(" })
            })
    }

    private func schemaKeys(of relation: Relation) throws -> Set<StoreSchema.ForeignKey> {
        Set(
            try foreignKeys(of: relation.oid).map { constraint in
                let key = constraint.key
                return StoreSchema.ForeignKey(
                    key.childColumns, to: key.parent.description, key.parentColumns, onDelete: key.onDelete,
                    onUpdate: constraint.onUpdate)
            })
    }

    /// When each fires, and a digest of its function, its condition and its arguments. Blanks do not count.
    private func triggers(on relation: Relation) throws -> [StoreSchema.Trigger] {
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
        return try rows.map { StoreSchema.Trigger($0[0] ?? "", try SchemaWords.all(ofSQL: $0[1] ?? "")) }
    }
}

extension ColumnClass {
    /// The class of a type as `format_type` writes it.
    fileprivate init(formatted type: String) throws {
        let words = try SchemaWords.all(ofSQL: type)
        let name = SchemaWords.joined(words)
        switch words.contains("[") ? nil : words.first {
        case "smallint", "integer", "bigint", "numeric", "real", "double": self = .number
        case "text", "character": self = .text
        case "boolean": self = .boolean
        case "timestamp", "date": self = .time
        case "bytea": self = .bytes
        default: self = .other(name)
        }
    }
}
