import Conditions
import Retention
import RuleEngine
import TerminalText

/// The ordinary tables of a database, with what conditions can compare their columns with.
struct PostgreSQLConditionTables: ConditionTables {
    let connection: Connection
    /// The schema of the rule's table, in which a bare name is looked up first.
    let schema: String

    func compared(_ name: SQLName) -> String { name.isQuoted ? name.text : name.text.loweringASCII }
    func compared(catalog name: String) -> String { name }

    func table(_ name: WrittenNames.Table) throws -> TypedTable {
        let text = ([name.schema, name.name].compactMap(\.self).map(compared)).joined(separator: ".")
        let relation: Relation
        do {
            relation = try connection.relation(named: text, preferring: schema)
        } catch let missing as SchemaMismatch {
            throw ConditionError(
                "reads \(text), and \(missing.cause)", hint: missing.hint, at: name.name.offset)
        }
        return try TypedTable(relation, in: connection)
    }
}

extension String {
    /// PostgreSQL does this to names without quotation marks; what it does to other letters depends on the server.
    fileprivate var loweringASCII: String {
        escaping({ ("A"..."Z").contains($0) }) { String($0).lowercased() }
    }
}

extension TypedTable {
    init(_ relation: Relation, in connection: Connection) throws {
        let details = try connection.textDetails(of: relation)
        self.init(
            relation.description, in: relation.tableName.schema, alias: relation.name, sql: relation.sql,
            columns: relation.columns.map { TypedColumn($0, text: details[$0.name]) })
    }
}

extension TypedColumn {
    fileprivate init(_ column: Relation.Column, text: TextDetail?) {
        let (type, detail): (TypeClass, String) =
            switch column.baseType {
            case "smallint", "integer", "bigint": (.integer, "")
            case "numeric": (.decimal, "")
            case "real", "double precision": (.real, "")
            case "boolean": (.boolean, "")
            case "uuid": (.uuid, "")
            case "json", "jsonb": (.json, column.baseType)
            case "timestamp with time zone": (.time, "timestamptz")
            case "timestamp without time zone": (.time, "timestamp")
            case "date": (.time, "date")
            default: text.map { (.text, $0.description) } ?? (.other, "")
            }
        self.init(column.name, type, declared: column.type, detail: detail)
    }
}

extension Connection {
    /// How the columns of texts compare them. An enumeration is a text, unless somebody made a cast of it, which would run.
    fileprivate func textDetails(of relation: Relation) throws -> [String: TextDetail] {
        let rows = try query(
            """
            SELECT a.attname, b.typname, b.typtype, c.collisdeterministic, \
            quote_ident(m.nspname) || '.' || quote_ident(c.collname), b.typnamespace = 'pg_catalog'::regnamespace, \
            quote_ident(s.nspname), EXISTS (SELECT FROM pg_cast k WHERE k.castsource = b.oid AND k.casttarget = 'text'::regtype), \
            EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid JOIN pg_roles r ON r.oid = b.typowner \
            WHERE d.classid = 'pg_type'::regclass AND d.objid = b.oid AND d.refclassid = 'pg_extension'::regclass \
            AND d.deptype = 'e' AND e.extname = 'citext' AND r.rolsuper) \
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
            JOIN pg_type b ON b.oid = (WITH RECURSIVE base (oid) AS (SELECT t.oid UNION ALL SELECT p.typbasetype \
            FROM base JOIN pg_type p USING (oid) WHERE p.typtype = 'd') \
            SELECT base.oid FROM base JOIN pg_type p USING (oid) WHERE p.typtype <> 'd') \
            JOIN pg_namespace s ON s.oid = b.typnamespace LEFT JOIN pg_collation c ON c.oid = a.attcollation \
            LEFT JOIN pg_namespace m ON m.oid = c.collnamespace \
            WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
            """, ["\(relation.oid)"]
        ).rows
        return rows.reduce(into: [:]) { details, row in
            let (name, type) = (row[0] ?? "", row[1] ?? "")
            if row[2] == "e", row[7] == "f" {
                details[name] = TextDetail(.enumeration, "")
            } else if type == "citext", row[8] == "t" {
                details[name] = TextDetail(.citext, row[6] ?? "")
            } else if row[5] == "t", row[3] == "f" {
                details[name] = ["text", "varchar"].contains(type) ? TextDetail(.folding, row[4] ?? "") : nil
            } else if row[5] == "t" {
                let kinds: [String: TextDetail.Kind] = ["text": .plain, "varchar": .plain, "bpchar": .padded]
                details[name] = kinds[type].map { TextDetail($0, row[4] ?? "") }
            }
        }
    }
}
