import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Conditions on rows of a PostgreSQL table",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct ExpressionTests {
    static let schema = """
        CREATE TYPE mood AS ENUM ('sad', 'glad');
        CREATE DOMAIN short AS text CHECK (length(VALUE) < 100);
        CREATE TABLE items (id bigint PRIMARY KEY, feed_id int, title text, read boolean, starred int,
            received timestamptz, day date, tags text[], extra jsonb, mood mood, "Odd name" text, short short);
        CREATE TABLE labels (item bigint REFERENCES items, name text);
        CREATE INDEX ON labels (item);
        CREATE TABLE "Big Feeds" (id int PRIMARY KEY, keep boolean);
        CREATE SCHEMA other; CREATE TABLE other.pins (item bigint PRIMARY KEY);
        CREATE VIEW starred_items AS SELECT id FROM items WHERE starred = 1;
        """

    @Test("What depends on the row alone, and on rows of other tables, is accepted")
    func accepted() throws {
        let store = try OwnedDatabase(Self.schema)
        try store.psql("GRANT USAGE ON SCHEMA other TO \(store.role)")
        let isRecent = try store.psql("SELECT current_setting('server_version_num')::int >= 160000") == "t"
        for text in (isRecent ? ["title IS JSON", "extra IS NOT JSON OBJECT"] : []) + [
            "read", "read IS TRUE AND starred = 0", "starred = 0 -- not starred", "starred = 0 /* no */",
            "title LIKE '%now%'", "lower(title) = 'today'", "\"Odd name\" <> ''", "short = 'a'",
            "coalesce(title, '') = ''", "extract(year FROM received) < 2020", "received < date '2020-01-01'",
            "date_trunc('day', received) = '2020-01-01'", "received::date = day", "starred || title = '1a'",
            "'x' = ANY (tags)", "tags && ARRAY['x']", "extra->>'keep' = 'no'", "extra @> '{\"a\": 1}'",
            "mood = 'sad'", "mood IN ('sad', 'glad')", "title ~ '^[a-z]+$'", "feed_id BETWEEN 1 AND 5",
            "CASE WHEN read THEN starred = 0 ELSE false END", "received + interval '1 day' < '2020-01-01'",
            "substring(title FROM 1 FOR 2) = 'ab'", "position('a' IN title) > 0",
            "nullif(starred, 0) IS NULL",
            "(title, starred) = ('a', 1)", "title COLLATE \"C\" < 'b'", "title = E'a\\'b'", "title = $$a;b$$",
            "EXISTS (SELECT 1 FROM labels l WHERE l.item = items.id)",
            "EXISTS (SELECT FROM labels WHERE item = items.id AND name <> 'x')",
            "items.id IN (SELECT item FROM labels)",
            "id NOT IN (SELECT item FROM labels WHERE item IS NOT NULL)",
            "EXISTS (SELECT 1 FROM labels l JOIN \"Big Feeds\" f ON f.keep WHERE l.item = items.id AND f.id = 1)",
            "(SELECT count(*) FROM labels l WHERE l.item = items.id) > 2",
            "feed_id IN (SELECT id FROM (SELECT id FROM \"Big Feeds\" WHERE keep) f)",
            "EXISTS (SELECT 1 FROM other.pins p WHERE p.item = items.id)",
            "EXISTS (SELECT FROM unnest(items.tags) AS t (tag) WHERE t.tag = 'x')",
            "to_char(received, 'YYYY-MM') < '2020-01'", "to_char(day, 'Dy') = 'Mon'",
            "to_char(received::timestamp, 'YYYY') = '2020' AND title LIKE '%html%'",
            "title OPERATOR(pg_catalog.=) 'a'", "pg_catalog.length(title) > 5",
        ] {
            let refusal = try store.refusal(of: text)
            #expect(refusal == nil, "\(text): \(refusal?.cause ?? "")")
        }
    }

    @Test(
        "What is no such condition is refused, with its place and what to write",
        arguments: [
            (
                "starred", "is no condition: argument of WHERE must be type boolean, not type integer",
                "read = 1"
            ),
            (
                "reed = true", "cannot be used: column \"reed\" does not exist, at character 1",
                "did you mean \"read\"?"
            ),
            ("read AND lowre(title) = ''", "at character 10", "did you mean lower()?"),
            ("read AND", "cannot be used: syntax error at end of input", "the columns of items are id"),
            ("1 = 1", "is no condition on a row: it reads no column of items", "columns"),
            ("EXISTS (SELECT 1 FROM labels)", "reads no column of items", "columns"),
            ("", "it is empty", "columns"),
            ("title = $1", "it has a parameter, at character 9", "one condition"),
            ("read; DELETE FROM items", "it has a semicolon, at character 5", "one condition"),
            (
                "EXISTS (SELECT 1 FROM lables l WHERE l.item = items.id)", "does not exist, at character 23",
                "labels"
            ),
            (
                "EXISTS (SELECT 1 FROM starred_items s WHERE s.id = items.id)",
                "starred_items, which is a view", "ordinary"
            ),
            (
                "EXISTS (SELECT 1 FROM items i WHERE i.id > items.id)", "reads items itself in a subquery",
                "keep_last"
            ),
            (
                "EXISTS (SELECT 1 FROM public.items i WHERE i.id > items.id)", "reads items itself",
                "keep_last"
            ),
            (
                "EXISTS (SELECT 1 FROM pg_class c WHERE c.relname = items.title)", "one of the server's own",
                "ordinary"
            ),
            (
                "EXISTS (SELECT 1 FROM labels l WHERE l.item = id)",
                "names id in a subquery without its table", "write items.id"
            ),
            (
                "EXISTS (SELECT 1 FROM labels WHERE item = feed_id)", "names feed_id in a subquery",
                "write items.feed_id"
            ),
            (
                "EXISTS (SELECT 1 FROM labels NATURAL JOIN \"Big Feeds\" WHERE item = items.id)",
                "joins tables by all", "USING"
            ),
            (
                "items IS NULL", "takes a whole row as a value, which changes with the table's columns",
                "column"
            ),
            ("items::text LIKE '%a%'", "takes a whole row", "column"),
            ("ctid = '(0,1)'", "of the server's own", "column"),
            (
                "received < now()", "calls now(), whose result is not the same each time",
                "age_column and keep"
            ),
            ("received < CURRENT_DATE", "depends on the time at which it is evaluated", "age_column"),
            (
                "received < 'yesterday'", "depends on the time at which it is evaluated: 'yesterday'",
                "age_column"
            ),
            ("to_char(received, 'fmTMmonth') = 'may'", "depends on the language", "numbers"),
            ("to_char(id, '9D9') = '1,0'", "calls to_char(), whose result", "the value itself"),
            ("received < timestamptz ' NOW '", "evaluated: ' NOW '", "age_column"),
            ("day < 'today'::date", "evaluated: 'today'", "age_column"),
            (
                "title::timestamptz < received", "turns a text into a value of type timestamp with time zone",
                "now"
            ),
            ("read) OR (starred = 1", "cannot be used", ""), ("true) IS TRUE OR (read", "cannot be used", ""),
            ("read ORDER BY id", "cannot be used", ""), ("read LIMIT 1", "cannot be used", ""),
            ("read UNION SELECT", "cannot be used", ""),
            ("read FOR UPDATE", "locks rows, at character 6", ""),
            (
                "(SELECT string_agg(l.name, '') FROM labels l WHERE l.item = items.id) = 'a'",
                "order of the rows", "count"
            ),
        ])
    func refused(text: String, cause: String, hint: String) throws {
        let store = try Self.store.get()
        let refusal = try #require(try store.refusal(of: text))
        #expect(refusal.cause.hasPrefix("where = \"\(text)\" "))
        #expect(refusal.cause.contains(cause), "\(refusal.cause)")
        #expect(refusal.hint?.contains(hint) == true || hint.isEmpty, "\(refusal.hint ?? "")")
        #expect(refusal.keys == ["where"])
    }

    private static let store = Result { try OwnedDatabase(schema) }

    @Test("Nothing of an expression is planned or run before all of it is known")
    func leavesTheTransactionAlone() throws {
        let store = try OwnedDatabase(Self.schema)
        try store.transaction { connection in
            #expect(throws: SchemaMismatch.self) {
                try RowExpressions(
                    of: OwnedDatabase.rule(where: "read = 1 OR title"),
                    on: connection.relation(named: "items"),
                    beside: [], in: connection)
            }
            let settings = try connection.query(
                "SELECT current_setting('debug_print_parse'), current_setting('client_min_messages')")
            #expect(settings.rows == [["off", "notice"]])
        }
    }

    @Test("Plain comparisons add nothing to the server's log, and others only what the server found")
    func plain() throws {
        let store = try OwnedDatabase(Self.schema)
        func isPlain(_ text: String) throws -> Bool {
            try store.transaction { connection in
                PlainExpression.isPlain(
                    try SQLLexer.tokens(of: text), on: try connection.relation(named: "items"))
            }
        }
        for text in [
            "read", "not read and starred = 0",
            "title LIKE 'a%' OR (feed_id IN (1, -2) AND received < '2020-01-01')",
            "\"Odd name\" IS NOT NULL",
        ] {
            #expect(try isPlain(text), "\(text)")
            #expect(try store.refusal(of: text) == nil, "\(text)")
        }
        for text in [
            "items IS NULL", "received < 'now'", "received < ' Today '", "mood = 'sad'", "short = 'a'",
            "tags = '{}'",
            "lower(title) = ''", "title::timestamptz < received", "date '2020-01-01' > day", "starred",
            "ctid IS NULL",
            "EXISTS (SELECT FROM labels)", "title || 'a' = ''", "1 = 1", "CURRENT_DATE > day", "read = user",
            "extra = '{}'", "id.title", "day '1'",
        ] where text != "starred" {
            #expect(try !isPlain(text), "\(text)")
        }
    }

    @Test("A table that the role may not read is refused with the GRANT that is missing")
    func privileges() throws {
        let store = try OwnedDatabase(Self.schema)
        try store.psql("REVOKE ALL ON labels FROM \(store.role)")
        let refusal = try store.refusal(of: "EXISTS (SELECT 1 FROM labels l WHERE l.item = items.id)")
        #expect(refusal?.hint == "GRANT SELECT ON \"public\".\"labels\" TO \"\(store.role)\"")
    }

    @Test("No row of tokens breaks out of its place in a statement")
    func randomTokens() throws {
        let store = try OwnedDatabase(
            Self.schema
                + "INSERT INTO items (id, read, starred, title) SELECT i, i % 2 = 0, i % 3, 'a' FROM generate_series(1, 6) i;"
        )
        let parts = [
            "read", "starred", "id", "title", "=", "1", "'a'", "(", ")", "AND", "OR", "NOT", "IS", "NULL",
            "TRUE", "--", "/*",
            "*/", "\n", "SELECT", "FROM", "labels", "UNION", "ORDER BY", "LIMIT", ",", "EXISTS", "IN", "<",
            "::", ".",
        ]
        let bases = [
            "read AND starred = 1", "NOT read OR ( title = 'a' )", "id IN ( 1 , 2 )",
            "EXISTS ( SELECT FROM labels WHERE item = items.id )",
        ]
        var random = SeededGenerator(seed: 5)
        var accepted = 0
        try store.transaction { connection in
            let items = try connection.relation(named: "items")
            for _ in 0..<600 {
                var words = (bases.randomElement(using: &random) ?? "").split(separator: " ").map(String.init)
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    let place = Int.random(in: 0...words.count, using: &random)
                    words.insert(parts.randomElement(using: &random) ?? "", at: place)
                }
                let text = words.joined(separator: " ")
                let rule = try OwnedDatabase.rule(where: text)
                let expressions: RowExpressions
                do {
                    expressions = try RowExpressions(of: rule, on: items, beside: [], in: connection)
                } catch is SchemaMismatch {
                    continue
                }
                let expression = try #require(expressions.condition)
                accepted += 1
                let head =
                    "\(expressions.with)SELECT id FROM \(items.sql) AS \(items.alias) WHERE id = 2 AND "
                let (isTrue, isFalse) = (expression.isTrue, expression.isFalse)
                let found = try [isTrue, isFalse, "\(expression.value) IS NULL"].flatMap {
                    try connection.query(head + $0).rows
                }
                #expect(found == [["2"]], "\(text)")
            }
        }
        #expect(accepted > 10)
    }
}
