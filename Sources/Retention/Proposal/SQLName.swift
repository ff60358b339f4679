extension String {
    /// The text as the name of a column in SQL, in quotes only where it needs them.
    var columnName: String {
        let isPlain = unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
        let beginsWell = unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
        guard isPlain, beginsWell, !Self.reserved.contains(lowercased()) else {
            return "\"\(replacing("\"", with: "\"\""))\""
        }
        return self
    }

    /// The words that SQLite takes for no name.
    private static let reserved: Set = [
        "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit",
        "constraint", "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape",
        "except",
        "exists", "foreign", "from", "group", "having", "if", "in", "index", "insert", "intersect", "into",
        "is",
        "isnull", "join", "limit", "not", "notnull", "null", "on", "or", "order", "primary", "references",
        "returning", "select", "set", "table", "then", "to", "transaction", "union", "unique", "update",
        "using",
        "values", "when", "where",
    ]
}
