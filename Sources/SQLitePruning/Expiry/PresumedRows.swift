import SQLite

/// Rows of a table that a dry run presumes to be gone or changed, in a temporary table of the connection: their keys, and some
/// columns, with the names, types and collations that they have in the table itself.
struct PresumedRows {
    let table: TableSchema
    /// As SQL.
    let name: String
    private let columns: [TableSchema.Column]

    /// No rows at first.
    init(of table: TableSchema, named name: String, columns: [TableSchema.Column] = [], in db: Database)
        throws
    {
        (self.table, self.columns) = (table, columns)
        self.name = "temp." + name.quotedIdentifier
        try db.execute("DROP TABLE IF EXISTS \(self.name)")
        try db.execute("CREATE TABLE \(self.name) " + definition)
    }

    /// The columns of the key, and the others.
    var names: [String] { table.key + columns.map(\.name) }

    private var definition: String {
        guard table.isWithoutRowID else {
            let key = table.key[0].quotedIdentifier + " INTEGER PRIMARY KEY"
            return "(\(([key] + columns.map(definition)).joined(separator: ", ")))"
        }
        let keys = table.key.compactMap(table.columnNamed)
        let primary = zip(table.key, table.keyCollations).map {
            "\($0.quotedIdentifier) COLLATE \($1.quotedIdentifier)"
        }
        let key = "PRIMARY KEY (\(primary.joined(separator: ", ")))"
        return "(\(((keys + columns).map(definition) + [key]).joined(separator: ", "))) WITHOUT ROWID"
    }

    /// In a STRICT table, ANY means no type.
    private func definition(_ column: TableSchema.Column) -> String {
        let hasType = !column.type.isEmpty && !(table.isStrict && column.type.uppercased() == "ANY")
        let type = hasType ? " " + column.type.quotedIdentifier : ""
        return "\(column.name.quotedIdentifier)\(type) COLLATE \(column.collation.quotedIdentifier)"
    }

    /// SQL that is true if two rows, of the table or of this one, have the same key.
    func isSame(_ a: String, _ b: String) -> String {
        zip(table.key, table.keyCollations).map { column, collation in
            let name = column.quotedIdentifier
            return
                "\(a.quotedIdentifier).\(name) = \(b.quotedIdentifier).\(name) COLLATE \(collation.quotedIdentifier)"
        }.joined(separator: " AND ")
    }
}
