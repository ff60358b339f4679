import TerminalText

extension String {
    /// The text as a name in SQL, in quotes only where it needs them: PostgreSQL reads capitals as small letters.
    package var nameInSQL: String {
        let isPlain = unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
        let beginsWell = unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
        guard isPlain, beginsWell, !Self.reserved.contains(self) else {
            return quotedNameInSQL
        }
        return self
    }

    fileprivate var quotedNameInSQL: String { quoted("\"") }

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
