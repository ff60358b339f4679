/// Refuses what the server would do with a value of a type outside of `pg_catalog` by another function or operator than the
/// app of the table: only `pg_catalog` is searched, so `mail = 'x'` compares a citext as the text that it also is.
struct OwnOperators {
    let check: ExpressionCheck
    let tokens: [SQLToken]
    let compiled: ExpressionCompilation

    func check(in connection: Connection) throws {
        let applied = compiled.tree.applications.filter { !$0.types.isEmpty }
        guard !applied.isEmpty else { return }
        let found = try connection.query(
            Self.question,
            [
                .arrayLiteral(applied.map { "\($0.operation ?? 0)" }),
                .arrayLiteral(applied.map { "\($0.function ?? 0)" }),
                .arrayLiteral(applied.map { $0.takesElements ? "t" : "f" }),
                .arrayLiteral(
                    applied.map { $0.types.sorted().map(String.init).joined(separator: ",") }),
            ])
        guard let first = found.rows.first, let number = first[0].flatMap({ Int($0) }) else { return }
        throw refusal(
            of: applied[number - 1], name: first[1] ?? "", type: first[2] ?? "", schema: first[3] ?? "")
    }

    /// The first application of something of `pg_catalog` to a type outside of it, for which a schema has the same name: its
    /// position, its name, the type, and the schema.
    private static let question = """
        WITH RECURSIVE applied AS (SELECT * FROM unnest($1::oid[], $2::oid[], $3::boolean[], $4::text[]) \
        WITH ORDINALITY AS a (operator, function, elements, types, place)), \
        part (place, oid) AS (SELECT a.place, t::oid FROM applied a CROSS JOIN unnest(string_to_array(a.types, ',')) t \
        UNION SELECT p.place, x.next FROM part p JOIN applied a USING (place) JOIN pg_type y ON y.oid = p.oid \
        CROSS JOIN LATERAL (VALUES (CASE WHEN y.typtype = 'd' THEN y.typbasetype \
        WHEN a.elements AND y.typcategory = 'A' THEN y.typelem END)) x (next) WHERE x.next <> 0), \
        own AS (SELECT a.place, o.oprname AS name, y.oid AS type, p.oprnamespace AS schema FROM applied a \
        JOIN pg_operator o ON o.oid = a.operator JOIN part USING (place) JOIN pg_type y ON y.oid = part.oid \
        JOIN pg_operator p ON p.oprname = o.oprname AND y.oid IN (p.oprleft, p.oprright) \
        WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND y.typnamespace <> 'pg_catalog'::regnamespace \
        AND p.oprnamespace <> 'pg_catalog'::regnamespace \
        UNION ALL SELECT a.place, f.proname, y.oid, g.pronamespace FROM applied a \
        JOIN pg_proc f ON f.oid = a.function JOIN part USING (place) JOIN pg_type y ON y.oid = part.oid \
        JOIN pg_proc g ON g.proname = f.proname AND y.oid = ANY (g.proargtypes::oid[]) \
        WHERE f.pronamespace = 'pg_catalog'::regnamespace AND y.typnamespace <> 'pg_catalog'::regnamespace \
        AND g.pronamespace <> 'pg_catalog'::regnamespace) \
        SELECT w.place, w.name, format_type(w.type, NULL), n.nspname FROM own w JOIN pg_namespace n ON n.oid = w.schema \
        ORDER BY w.place, n.nspname LIMIT 1
        """

    private func refusal(
        of application: ExpressionTree.Application, name: String, type: String, schema: String
    ) -> SchemaMismatch {
        let offset = compiled.offset(of: application.location)
        let token = offset.flatMap { offset in tokens.first { $0.range.contains(offset) } }
        let written = token.map { $0.kind == .symbol ? $0.text : $0.text.uppercased() }
        let quoted = schema.shortestIdentifier
        let place = check.place(offset)
        guard application.operation != nil else {
            return check.refusal(
                "calls PostgreSQL's own \(name)() with a value of type \(type), which has another one in \(schema)\(place)",
                hint: "write \(quoted).\(name)(…), as its app does")
        }
        let own = "OPERATOR(\(quoted).\(name))"
        let isInfix = token?.kind == .symbol
        return check.refusal(
            "applies PostgreSQL's own \(name) to a value of type \(type), which has another one in \(schema)\(place)",
            hint: application.takesElements
                ? "write column \(own) ANY ('{a,b}') in place of \(written ?? name), as its app does"
                : "write \(own) in place of \(isInfix ? name : written ?? name), as its app does")
    }
}
