extension ColumnSketch {
    /// Its name in SQL. A store with types of columns takes an unquoted name for one in small letters.
    var sqlName: String {
        type == .any || name == name.lowercased() ? name.columnName : name.quotedColumnName
    }
}

extension String {
    /// The text as the name of a column in SQL, in quotes only where it needs them.
    var columnName: String {
        let isPlain = unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
        let beginsWell = unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
        guard isPlain, beginsWell, !Self.reserved.contains(lowercased()) else {
            return quotedColumnName
        }
        return self
    }

    fileprivate var quotedColumnName: String { "\"\(replacing("\"", with: "\"\""))\"" }

    /// The words that SQLite or PostgreSQL take for no name.
    private static let reserved: Set = [
        "add", "all", "alter", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric",
        "authorization",
        "autoincrement", "binary", "both", "cast", "column", "concurrently", "cross", "current_date",
        "current_time",
        "current_timestamp", "current_user", "desc", "do", "end", "except", "false", "fetch", "for", "freeze",
        "full",
        "grant", "ilike", "initially", "inner", "lateral", "leading", "left", "like", "localtime",
        "localtimestamp",
        "natural", "offset", "only", "outer", "overlaps", "placing", "right", "session_user", "similar",
        "some",
        "symmetric", "tablesample", "trailing", "true", "user", "variadic", "verbose", "window", "with",
        "between", "case", "check", "collate", "commit",
        "constraint", "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape",
        "exists", "foreign", "from", "group", "having", "if", "in", "index", "insert", "intersect", "into",
        "is",
        "isnull", "join", "limit", "not", "notnull", "null", "on", "or", "order", "primary", "references",
        "returning", "select", "set", "table", "then", "to", "transaction", "union", "unique", "update",
        "using",
        "values", "when", "where",
    ]
}
