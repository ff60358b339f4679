import Conditions
import Retention
import SQLite

/// The ordinary tables of a store, with what conditions can compare their columns with.
struct SQLiteConditionTables: ConditionTables {
    let db: Database

    func compared(_ name: SQLName) -> String { compared(catalog: name.text) }
    func compared(catalog name: String) -> String { String(decoding: name.comparedName, as: UTF8.self) }

    func table(_ name: WrittenNames.Table) throws -> TypedTable {
        if let schema = name.schema {
            throw ConditionError(
                "reads a table of \(schema.text)", hint: "write the table alone", at: schema.offset)
        }
        let text = name.name.text
        guard let (_, kind) = try TableSchema.kind(of: text, in: db) else {
            let names = try db.rows(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
            throw ConditionError(
                "reads \(text), and there is no such table",
                hint: names.map { $0[0].string }.nearest(to: text).map { "did you mean \($0)?" },
                at: name.name.offset)
        }
        guard kind == .table, !text.lowercased().hasPrefix("sqlite_"),
            let table = try TableSchema(text, in: db)
        else {
            throw ConditionError(
                "reads \(text), which is not an ordinary table", hint: "read an ordinary table of the store",
                at: name.name.offset)
        }
        return TypedTable(table)
    }
}

extension TypedTable {
    init(_ table: TableSchema) {
        // The rowid is a column, too, which no list has.
        let key = table.isWithoutRowID || table.columnNamed(table.key[0]) != nil ? [] : table.key
        self.init(
            table.name, sql: table.name.quotedIdentifier,
            columns: table.columns.map { TypedColumn($0) }
                + key.map { TypedColumn($0, .integer, declared: "INTEGER") })
    }
}

extension TypedColumn {
    /// The class by the declared type. Its detail is the collation, unless that is by code points.
    fileprivate init(_ column: TableSchema.Column) {
        let declared = column.type.uppercased()
        let has = { (parts: [String]) in parts.contains { declared.contains($0) } }
        let type: TypeClass =
            has(["INT"])
            ? .integer
            : has(["CHAR", "CLOB", "TEXT"])
                ? .text
                : has(["REAL", "FLOA", "DOUB"])
                    ? .real : has(["BOOL"]) ? .boolean : declared == "JSON" ? .json : .loose
        let collation = column.collation.uppercased()
        let isKnown = ["BINARY", "NOCASE", "RTRIM"].contains(collation)
        let isText = type == .text || type == .loose
        self.init(
            column.name, isText && !isKnown ? .other : type,
            declared: column.type + (isKnown ? "" : " COLLATE \(column.collation)"),
            detail: isText && collation != "BINARY" ? collation : "", countsAsInteger: type == .boolean)
    }
}
