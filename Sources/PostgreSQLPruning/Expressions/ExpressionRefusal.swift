import TerminalText

/// What is said of an expression that the server does not understand.
extension ExpressionCheck {
    func mismatch(
        _ refused: ExpressionCompilation.Refused, _ tokens: [SQLToken], in connection: Connection
    ) throws -> SchemaMismatch {
        let index = refused.offset.flatMap { offset in tokens.firstIndex { $0.range.contains(offset) } }
        // The position of `schema.name` is that of the schema.
        var token = index.map { tokens[$0] }
        if let index, index + 2 < tokens.count, tokens[index + 1].isSymbol(".") { token = tokens[index + 2] }
        let name = token?.text ?? ""
        switch refused.code {
        case "42P01":
            if name == relation.name { return ownTable }
            if let kind = try connection.kind(of: name, in: relation.schema) {
                return refusal(
                    "reads \(name), which is \(kind)", hint: "read an ordinary table of the database")
            }
            return cannot(refused, try tableHint(name, in: connection))
        case "42703":
            let near = relation.columns.map(\.name).nearest(to: name)
            return cannot(refused, near.map { "did you mean \"\($0)\"?" } ?? columnHint)
        case "42883":
            return cannot(refused, try functionHint(token, in: connection))
        case "42804":
            return refusal(
                "is no condition: \(refused.reason)\(place(refused.offset))",
                hint: "a condition must be true or false: compare it, as in read = 1 or title <> ''")
        case "42702":
            return refusal(
                "names \(name) in a subquery without its table",
                hint: "write its table, too, as in table.\(name)")
        default:
            return cannot(refused, columnHint)
        }
    }

    private func cannot(_ refused: ExpressionCompilation.Refused, _ hint: String) -> SchemaMismatch {
        refusal("cannot be used: \(refused.reason)\(place(refused.offset))", hint: hint)
    }

    var ownTable: SchemaMismatch {
        refusal(
            "reads \(relation.description) itself in a subquery, and rows of it are deleted in the run",
            hint: "what is kept must not depend on what is deleted; keep_last keeps the newest rows")
    }

    private func tableHint(_ name: String, in connection: Connection) throws -> String {
        let names = try connection.query(
            """
            SELECT CASE n.nspname WHEN $1 THEN c.relname ELSE n.nspname || '.' || c.relname END, c.relname \
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') \
            AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1 LIMIT 1000
            """, [relation.schema]
        ).rows
        let exact = names.first { $0[1] == name }?[0]
        let near = exact ?? names.compactMap { $0[0] }.nearest(to: name)
        return near.map { "did you mean \($0)?" }
            ?? "tables of the schema \(relation.schema) need no schema before them, all others do"
    }

    private func functionHint(_ token: SQLToken?, in connection: Connection) throws -> String {
        guard let token, token.isName else {
            return
                "only PostgreSQL's own operators are found by themselves; one of an extension is written"
                + " OPERATOR(schema.=), and casts help where the types differ"
        }
        let names = try connection.query(
            """
            SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace \
            AND provolatile = 'i' AND prokind IN ('f', 'a')
            """
        ).rows.compactMap { $0[0] }
        if names.contains(token.text) { return "look at the types of its arguments" }
        return names.nearest(to: token.text).map { "did you mean \($0)()?" }
            ?? "only PostgreSQL's own functions can be called, those of pg_catalog"
    }
}

extension Connection {
    /// What a relation of this name is, if it is no table.
    fileprivate func kind(of name: String, in schema: String) throws -> String? {
        let kinds = ["v": "a view", "m": "a materialized view", "f": "a foreign table", "S": "a sequence"]
        return try query(
            """
            SELECT c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relname = $2
            """, [schema, name]
        ).rows.first?[0].flatMap { kinds[$0] }
    }
}
