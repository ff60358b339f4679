import Retention
import SQLite

extension SchemaFacts {
    /// The tables of `db`, or those of them that are in `names`.
    init(of names: Set<String>? = nil, in db: Database) throws {
        let rows = try db.rows(
            """
            SELECT name, type = 'virtual' FROM pragma_table_list
            WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        tables = [:]
        for row in rows {
            let name = row[0].string
            guard names?.contains(name.gateName) ?? true else { continue }
            tables[name.gateName] = try Table(name, isVirtual: row[1].integer != 0, in: db)
        }
    }
}

extension SchemaFacts.Table {
    fileprivate init(_ name: String, isVirtual: Bool, in db: Database) throws {
        self.name = name
        columns = try Self.columns(of: name, in: db)
        foreignKeys = try Self.foreignKeys(of: name, in: db)
        uniqueKeys = try Self.uniqueKeys(of: name, in: db)
        triggers = try Self.triggers(on: name, in: db)
        module = isVirtual ? SQLToken.comparable(try Self.sql(of: name, "table", in: db)) : nil
    }

    private static func columns(
        of table: String, in db: Database
    ) throws -> [String: SchemaFacts.Column] {
        let rows = try db.rows(
            "SELECT name, type FROM pragma_table_xinfo(:table)", ["table": .text(table)])
        let columns = rows.map { row in
            SchemaFacts.Column(name: row[0].string, type: ColumnClass(declared: row[1].string))
        }
        return Dictionary(columns.map { ($0.name.gateName, $0) }) { $1 }
    }

    private static func foreignKeys(
        of table: String, in db: Database
    ) throws -> Set<SchemaFacts.ForeignKey> {
        let rows = try db.rows(
            """
            SELECT id, "table", on_update, on_delete, "from", "to" FROM pragma_foreign_key_list(:table)
            ORDER BY id, seq
            """, ["table": .text(table)])
        let keys = Dictionary(grouping: rows) { $0[0].integer }.values.map { parts in
            SchemaFacts.ForeignKey(
                columns: parts.map(\.[4].string.gateName), parent: parts[0][1].string.gateName,
                parentColumns: parts.compactMap { $0[5] == .null ? nil : $0[5].string.gateName },
                onUpdate: parts[0][2].string, onDelete: parts[0][3].string)
        }
        return Set(keys)
    }

    /// A primary key that is the rowid has no index.
    private static func uniqueKeys(of table: String, in db: Database) throws -> Set<[String]> {
        let key = try db.rows(
            "SELECT name FROM pragma_table_info(:table) WHERE pk > 0", ["table": .text(table)]
        ).map(\.[0].string.gateName).sorted()
        let indexes = try db.rows(
            "SELECT name, partial FROM pragma_index_list(:table) WHERE \"unique\"", ["table": .text(table)])
        return try Set(key.isEmpty ? [] : [key]).union(
            indexes.map { index in
                let parts = try db.rows(
                    "SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key ORDER BY seqno",
                    ["index": index[0]])
                let isPlain = index[1].integer == 0 && parts.allSatisfy { $0[0] != .null }
                guard isPlain else {
                    let tokens = SQLToken.comparable(try sql(of: index[0].string, "index", in: db))
                    // The name of an index means nothing.
                    return Array(tokens.drop { $0 != "on" }.dropFirst(2))
                }
                return parts.map { part in
                    let collation = part[1].string.gateName
                    return part[0].string.gateName + (collation == "binary" ? "" : " collate " + collation)
                }.sorted()
            })
    }

    private static func triggers(on table: String, in db: Database) throws -> [String: SchemaFacts.Trigger] {
        let rows = try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(:table)",
            ["table": .text(table)])
        return Dictionary(rows.map { ($0[0].string.gateName, SchemaFacts.Trigger($0[1].string)) }) { $1 }
    }

    private static func sql(of name: String, _ type: String, in db: Database) throws -> String {
        try db.value(
            "SELECT sql FROM sqlite_schema WHERE type = :type AND name = :name",
            ["type": .text(type), "name": .text(name)]
        ).string
    }
}
