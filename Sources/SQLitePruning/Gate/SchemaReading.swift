import Retention
import RuleEngine
import SQLite

extension SchemaNames {
    static let sqlite = SchemaNames(ignoresCase: true)
}

extension StoreSchema {
    /// The ordinary and the virtual tables of `db`, or those of them that are called as in `names`.
    init(
        of names: Set<String>? = nil, in db: Database, withColumnsOfVirtualTables readsVirtual: Bool = true
    ) throws {
        let rows = try db.rows(
            """
            SELECT name, type = 'virtual' FROM pragma_table_list
            WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        let wanted = names.map { Set($0.map(\.foldedName)) }
        self.init()
        for row in rows where wanted?.contains(row[0].string.foldedName) ?? true {
            tables.append(try Table(row[0].string, isVirtual: row[1].integer != 0, readsVirtual, in: db))
        }
    }
}

extension StoreSchema.Table {
    fileprivate init(_ name: String, isVirtual: Bool, _ readsVirtual: Bool, in db: Database) throws {
        self.init(name)
        if isVirtual {
            let words = SQLToken.schemaWords(try Self.sql(of: name, "table", in: db))
            module = Array(words.drop { $0 != "using" }.dropFirst())
            guard readsVirtual else { return }
        }
        columns = try Self.columns(of: name, in: db)
        primaryKey = try Self.primaryKey(of: name, in: db)
        uniqueKeys = try Self.uniqueKeys(of: name, in: db)
        foreignKeys = try Self.foreignKeys(of: name, in: db)
        triggers = try Self.triggers(on: name, in: db)
    }

    /// Virtual tables have hidden columns, which are no part of a row.
    private static func columns(of table: String, in db: Database) throws -> [StoreSchema.Column] {
        try db.rows(
            "SELECT name, type FROM pragma_table_xinfo(:table) WHERE hidden <> 1", ["table": .text(table)]
        ).map { StoreSchema.Column($0[0].string, ColumnClass(declared: $0[1].string)) }
    }

    /// One that is the rowid has no index.
    private static func primaryKey(of table: String, in db: Database) throws -> [String] {
        try db.rows(
            "SELECT name FROM pragma_table_info(:table) WHERE pk > 0 ORDER BY pk", ["table": .text(table)]
        ).map(\.[0].string)
    }

    /// The indexes that are not the primary key's. One of these says more than its columns where it has a collation.
    private static func uniqueKeys(of table: String, in db: Database) throws -> Set<[String]> {
        let indexes = try db.rows(
            "SELECT name, partial FROM pragma_index_list(:table) WHERE \"unique\"", ["table": .text(table)])
        let key = try primaryKey(of: table, in: db).map { [$0.schemaWord] }.joined(separator: [","])
        let primary = uniqueKey(["("] + key + [")"])
        let keys = try indexes.map { index in
            let parts = try db.rows(
                "SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key ORDER BY seqno",
                ["index": index[0]])
            guard index[1].integer == 0, parts.allSatisfy({ $0[0] != .null }) else {
                let words = SQLToken.schemaWords(try sql(of: index[0].string, "index", in: db))
                // The name of an index means nothing.
                return Array(words.drop { $0 != "on" }.dropFirst(2))
            }
            let columns = parts.map { part in
                let collation = part[1].string.foldedName
                return [part[0].string.schemaWord]
                    + (collation == "binary" ? [] : ["collate", collation.schemaWord])
            }
            return uniqueKey(["("] + columns.joined(separator: [","]) + [")"])
        }
        return Set(keys).subtracting([primary])
    }

    private static func foreignKeys(
        of table: String, in db: Database
    ) throws -> Set<StoreSchema.ForeignKey> {
        let rows = try db.rows(
            """
            SELECT id, "table", on_update, on_delete, "from", "to" FROM pragma_foreign_key_list(:table)
            ORDER BY id, seq
            """, ["table": .text(table)])
        let keys = try Dictionary(grouping: rows) { $0[0].integer }.values.map { parts in
            let parent = parts[0][1].string
            let named = parts.compactMap { $0[5] == .null ? nil : $0[5].string }
            let action = { (value: String) in
                StoreSchema.ForeignKey.Action(rawValue: value.foldedName) ?? .none
            }
            return StoreSchema.ForeignKey(
                parts.map(\.[4].string), to: parent,
                named.isEmpty ? try primaryKey(of: parent, in: db) : named,
                onDelete: action(parts[0][3].string), onUpdate: action(parts[0][2].string))
        }
        return Set(keys)
    }

    private static func triggers(on table: String, in db: Database) throws -> [StoreSchema.Trigger] {
        try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(:table)",
            ["table": .text(table)]
        ).map { StoreSchema.Trigger($0[0].string, statement: $0[1].string) }
    }

    private static func sql(of name: String, _ type: String, in db: Database) throws -> String {
        try db.value(
            "SELECT sql FROM sqlite_schema WHERE type = :type AND name = :name",
            ["type": .text(type), "name": .text(name)]
        ).string
    }
}

extension StoreSchema.Trigger {
    /// Reads `CREATE TRIGGER name [BEFORE | AFTER | INSTEAD OF] event [OF columns] ON table ...`.
    fileprivate init(_ name: String, statement: String) {
        let words = SQLToken.schemaWords(statement)
        // The name may be any word, and may be in quotation marks.
        let rest = words.dropFirst(3)
        let event = rest.firstIndex { SchemaUse.Event(rawValue: $0) != nil } ?? rest.endIndex
        let times = ["before", "after", "of"]
        let isTimed = event > rest.startIndex && event < rest.endIndex && times.contains(rest[event - 1])
        let time =
            isTimed ? (rest[event - 1] == "of" ? ["instead", "of"] : [rest[event - 1]]) : ["before"]
        let head = rest[event...].prefix { $0 != "on" }
        self.init(name, time + head + rest[head.endIndex...].dropFirst(2))
    }
}

extension ColumnClass {
    /// The class of a declared type. SQLite keeps a number or a text in a column of any of them, but it converts by the
    /// same words.
    fileprivate init(declared type: String) {
        let words: [(String, ColumnClass)] = [
            ("int", .number), ("bool", .boolean), ("char", .text), ("clob", .text), ("text", .text),
            ("json", .text), ("blob", .bytes), ("binary", .bytes), ("date", .time), ("time", .time),
            ("real", .number), ("floa", .number), ("doub", .number), ("num", .number), ("dec", .number),
        ]
        let name = SchemaWords.joined(SQLToken.schemaWords(type))
        self = words.first { name.contains($0.0) }?.1 ?? .other(name)
    }
}
