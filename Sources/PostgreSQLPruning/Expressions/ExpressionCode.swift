import TerminalText

/// Checks what an expression calls: functions, also those of operators and casts, and the types on which they depend.
struct ExpressionCode {
    let check: ExpressionCheck
    let tokens: [SQLToken]
    let compiled: ExpressionCompilation

    private var tree: ExpressionTree { compiled.tree }

    func check(in connection: Connection) throws {
        try checkFunctions(in: connection)
        try checkTypes(in: connection)
        try OwnOperators(check: check, tokens: tokens, compiled: compiled).check(in: connection)
        try checkParsedTexts(in: connection)
        try checkTimes()
    }

    /// Functions are PostgreSQL's own, or those of a superuser's extension, and have the same result each time.
    private func checkFunctions(in connection: Connection) throws {
        let rows = try connection.query(
            """
            SELECT n.nspname, p.proname, p.provolatile, p.prokind, r.rolsuper AND (n.nspname = 'pg_catalog' OR EXISTS \
            (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')), \
            p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles r ON r.oid = p.proowner \
            WHERE p.oid = ANY ($1::oid[]) OR p.oid IN (SELECT oprcode FROM pg_operator WHERE oid = ANY ($2::oid[])) \
            ORDER BY n.nspname, p.proname, p.oid
            """, [.arrayLiteral(tree.functions), .arrayLiteral(tree.operators)]
        ).rows
        for row in rows {
            let (schema, name) = (row[0] ?? "", row[1] ?? "")
            guard row[4] == "t" else {
                throw check.refusal(
                    "calls \(schema).\(name)(), which is neither PostgreSQL's own nor of a superuser's extension",
                    hint: "code of the tables' owners would run with the rights of the role that deletes")
            }
            if row[3] == "a" {
                guard !Self.aggregates.contains(name) else { continue }
                throw check.refusal(
                    "calls \(name)(), whose result may depend on the order of the rows",
                    hint: "use " + Self.aggregates.sorted().joined(separator: ", "))
            }
            let isPinned = !Self.onPinnedSettings.isDisjoint(with: [name, row[5] ?? ""])
            let isConstant = row[2] == "i" || row[2] == "s" && isPinned
            guard isConstant, !Self.refused.contains(name) else {
                throw check.refusal(
                    "calls \(name)(), whose result is not the same each time",
                    hint: try hint(name, in: connection))
            }
            try checkLanguage(of: name)
        }
    }

    /// A batch writes the names of months in English, whatever language the app has.
    private func checkLanguage(of name: String) throws {
        guard name == "to_char" else { return }
        let isWord = tokens.contains { token in
            token.kind == .string && token.text.uppercased().contains(#/TM(MON|DAY|DY)/#)
        }
        guard isWord else { return }
        throw check.refusal(
            "calls to_char() with TM, whose result depends on the language of the session",
            hint: "compare numbers of months and days: to_char(..., 'MM')")
    }

    private func hint(_ name: String, in connection: Connection) throws -> String {
        if name == "to_char" { return "compare the value itself; to_char() may only write dates and times" }
        if Self.clocks.contains(name) { return "the age of a row is judged by age_column and keep" }
        return "rows are judged more than once; write a condition on their columns alone"
    }

    private static let clocks: Set = [
        "now", "age", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday",
    ]
    private static let aggregates: Set = [
        "count", "min", "max", "sum", "avg", "bool_and", "bool_or", "every", "bit_and", "bit_or",
    ]

    /// STABLE functions whose result depends on nothing but settings that ``TransactionKind/begin`` pins: the time zone,
    /// how dates, numbers and bytes are written, and the language of months. `to_char` of a number is none of them: it depends
    /// on the session's decimal point, and numbers can be compared as such.
    private static let onPinnedSettings: Set = {
        var names: Set = [
            "timestamptz_pl_interval", "timestamptz_mi_interval", "interval_pl_timestamptz",
            "date_part", "date_trunc", "extract", "timestamptz", "timestamp", "date", "time", "timetz",
            "textanycat", "anytextcat", "to_char(timestamp without time zone,text)",
            "to_char(timestamp with time zone,text)",
        ]
        for (a, b) in [("date", "timestamptz"), ("timestamp", "timestamptz")] {
            for comparison in ["lt", "le", "eq", "ne", "gt", "ge", "cmp"] {
                names.formUnion(["\(a)_\(comparison)_\(b)", "\(b)_\(comparison)_\(a)"])
            }
        }
        return names
    }()

    /// Immutable by their mark, and yet nothing for a condition: they make as many rows as they are told to.
    private static let refused: Set = ["generate_series"]

    /// Types bring functions along that no tree shows: how arrays of them are compared, and how they are read and
    /// written.
    private func checkTypes(in connection: Connection) throws {
        let rows = try connection.query(
            """
            WITH RECURSIVE part (root, oid) AS (SELECT oid, oid FROM pg_type WHERE oid = ANY ($1::oid[]) \
            UNION SELECT p.root, x.next FROM part p JOIN pg_type y ON y.oid = p.oid CROSS JOIN LATERAL (VALUES \
            (CASE WHEN y.typtype = 'd' THEN y.typbasetype WHEN y.typcategory = 'A' AND y.typelem <> 0 \
            THEN y.typelem END)) x (next) WHERE x.next IS NOT NULL) \
            SELECT DISTINCT p.root, format_type(p.root, NULL) FROM part p JOIN pg_type y ON y.oid = p.oid \
            JOIN pg_roles r ON r.oid = y.typowner WHERE NOT (y.typtype IN ('d', 'e') OR y.typcategory = 'A' AND \
            y.typelem <> 0 OR r.rolsuper AND (y.typnamespace = 'pg_catalog'::regnamespace AND y.typtype <> 'c' AND \
            y.typname NOT LIKE 'reg%' OR y.typtype = 'b' AND EXISTS (SELECT FROM pg_depend d \
            WHERE d.classid = 'pg_type'::regclass AND d.objid = y.oid AND d.deptype = 'e')))
            """, [.arrayLiteral(tree.types)]
        ).rows
        guard let first = rows.first, let oid = first[0].flatMap({ Int($0) }) else { return }
        let type = first[1] ?? ""
        let column = tree.columns.first { $0.type == oid }.flatMap { column in
            column.isOfRow
                ? relation.columns.first { $0.number == column.number }.map {
                    "\(relation.description).\($0.name)"
                } : token(at: column.location)?.text
        }
        throw check.refusal(
            column.map { "reads \($0), which is of type \(type)" } ?? "has a value of type \(type)",
            hint:
                "its functions are neither PostgreSQL's own nor a superuser's; write a condition on other columns"
        )
    }

    private var relation: Relation { check.relation }

    /// A text in a row may be `now`, too.
    private func checkParsedTexts(in connection: Connection) throws {
        let type = try connection.query(
            """
            SELECT format_type(t.oid, NULL) FROM pg_type t JOIN pg_proc p ON p.oid = t.typinput \
            WHERE t.oid = ANY ($1::oid[]) AND p.provolatile <> 'i' AND t.oid <> 'interval'::regtype LIMIT 1
            """, [.arrayLiteral(tree.parsedTypes)]
        ).text(0, 0)
        guard let type else { return }
        throw check.refusal(
            "turns a text into a value of type \(type), which may depend on the time at which that is done",
            hint: "a text such as 'now' means another value each time; compare texts with texts")
    }

    /// The server makes a time of 'now' when it reads the expression, not when it judges a row.
    private func checkTimes() throws {
        guard tree.hasTimeConstant else { return }
        for token in tokens where token.kind == .string {
            let words = token.text.lowercased().split { !$0.isLetter }
            guard words.contains(where: { Self.moving.contains(String($0)) }) else { continue }
            throw check.refusal(
                "depends on the time at which it is evaluated: '\(token.text)'",
                hint: "the age of a row is judged by age_column and keep")
        }
    }

    private static let moving: Set = ["now", "today", "tomorrow", "yesterday"]

    private func token(at location: Int) -> SQLToken? {
        compiled.offset(of: location).flatMap { offset in tokens.first { $0.range.contains(offset) } }
    }
}

extension String {
    /// Numbers of objects, as an array.
    static func arrayLiteral(_ numbers: Set<Int>) -> String {
        "{" + numbers.sorted().map(String.init).joined(separator: ",") + "}"
    }
}
