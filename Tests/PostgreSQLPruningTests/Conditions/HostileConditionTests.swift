import RuleEngine
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Conditions that would run code or have effects are refused before anything of them runs",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct HostileConditionTests {
    /// Each function of the owner's leaves a trace that no rollback takes away.
    static let schema = """
        CREATE SEQUENCE called;
        CREATE FUNCTION evil(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN true; END $$;
        CREATE FUNCTION lower(text) RETURNS text LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN $1; END $$;
        CREATE FUNCTION length(varchar) RETURNS int LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN 1; END $$;
        CREATE FUNCTION same(text, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN true; END $$;
        CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same);
        CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = same);
        CREATE TYPE mood AS ENUM ('sad', 'glad');
        CREATE FUNCTION mood_text(mood) RETURNS text LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN 'x'; END $$;
        CREATE CAST (mood AS text) WITH FUNCTION mood_text AS IMPLICIT;
        CREATE FUNCTION mood_bool(mood) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN true; END $$;
        CREATE CAST (mood AS boolean) WITH FUNCTION mood_bool AS IMPLICIT;
        CREATE DOMAIN dom AS int CHECK (evil(VALUE));
        CREATE TYPE pair AS (a int, b int);
        CREATE TYPE span AS RANGE (subtype = int4);
        CREATE TABLE items (id bigint, title text, name varchar, read boolean, received timestamptz, mood mood,
            moods mood[], dom dom, pair pair, span span, body text);
        CREATE FUNCTION row_text(items) RETURNS text LANGUAGE plpgsql IMMUTABLE
            AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN 'x'; END $$;
        CREATE CAST (items AS text) WITH FUNCTION row_text AS IMPLICIT;
        CREATE TABLE labels (item bigint, name text, mood mood);
        """

    static let conditions = [
        // Functions with effects, or with another result each time.
        "id < random()", "pg_sleep(3) IS NULL AND read", "pg_sleep(id) IS NOT NULL", "nextval('called') > id",
        "nextval('public.called') > id", "setval('public.called', 99) > id", "currval('public.called') > id",
        "lastval() > id", "lo_import('/etc/passwd') > id", "lo_create(0) > id", "lo_unlink(id::oid) = 1",
        "lo_export(1, '/tmp/x') = id", "current_setting('search_path') = title",
        "set_config('search_path', 'public', true) = title",
        "set_config('row_security', title, false) = 'on'",
        "query_to_xml('SELECT public.evil(1)', true, true, '')::text = title",
        "query_to_xml(title, true, true, '') IS NOT NULL",
        "table_to_xml('public.items', true, true, '')::text = title",
        "txid_current() > id", "pg_current_xact_id()::text = title", "pg_terminate_backend(id::int)",
        "pg_cancel_backend(id::int)", "pg_advisory_lock(id) IS NULL", "pg_advisory_xact_lock(id) IS NULL",
        "pg_try_advisory_lock(id)", "pg_notify(title, '') IS NULL", "pg_read_file(title) = ''",
        "pg_ls_dir(title) = ''", "pg_reload_conf() AND read", "pg_export_snapshot() = title",
        "clock_timestamp() > received", "statement_timestamp() > received", "timeofday() = title",
        "age(received) > interval '1 day'", "gen_random_uuid()::text = title", "version() = title",
        "inet_server_addr()::text = title", "pg_backend_pid() = id", "has_table_privilege('items', title)",
        "obj_description(id::oid, 'pg_class') = title", "to_regclass(title) IS NULL",
        "current_schema() = title",
        "ts_rewrite('a'::tsquery, title)::text = 'x'", "id IN (SELECT generate_series(1, 1000000000))",
        "pg_stat_get_numscans(id::oid) = 1", "to_char(received, 'TMMonth') = 'May'",
        "dblink_exec(title) = ''",
        "xpath_exists('/a', title::xml)", "to_json(mood)::text = 'x'", "row_to_json(items)::text = 'x'",
        // Calls that are not written as such.
        "(3.5::float8).pg_sleep IS NULL AND read", "(title).evil", "items.evil", "evil(items)",
        "(items).row_text = 'x'",
        "items.text = 'x'", "items::text = 'x'", "items.*::text = 'x'",
        "(SELECT i FROM (SELECT items.*) i)::text = 'x'",
        // The owner's functions, operators, casts, types.
        "evil(id)", "public.evil(id)", "\"public\".evil(id)", "public.lower(title) = ''",
        "public.length(name) = 1",
        "title OPERATOR(public.=) 'x'", "title OPERATOR(public.===) 'x'", "title === 'x'",
        "title OPERATOR(\"public\".=) ANY (ARRAY['a'])", "mood || 'a' = 'xa'", "mood = 'x'::text", "mood",
        "read AND mood",
        "length(mood) = 1", "mood LIKE 'x'", "mood::text = 'x'", "mood::boolean",
        "CASE mood WHEN 'x'::text THEN true END",
        "EXISTS (SELECT FROM labels l WHERE l.item = items.id AND l.mood LIKE 'x')",
        "id::public.dom > 1", "CAST(id AS public.dom) > 1", "(pair).a = 1", "pair = ROW(1, 2)::public.pair",
        "span @> 1",
        // Names in other writings.
        "U&\"public\".evil(id)", "U&\"\\0070ublic\".evil(id)", "received < U&'\\006eow'",
        "received < E'\\x6eow'",
        "received < 'no'\n'w'", "received < $$now$$", "received < $a$ TODAY $a$::date",
        "received = 'tomorrow'",
        "received < '10:00 today'", "'[2020-01-01,now)'::tstzrange @> received",
        "received = ANY ('{now}'::timestamptz[])",
        "received < title::timestamptz", "received < CAST(title AS timestamptz)",
        "pg_sleep/**/(1) IS NULL AND read",
        "pg_catalog . pg_sleep (1) IS NULL AND read", "\"pg_sleep\"(1) IS NULL AND read",
        // The present, and who asks.
        "received < CURRENT_TIMESTAMP", "received < LOCALTIMESTAMP", "title = CURRENT_USER",
        "title = SESSION_USER",
        "title = USER", "title = CURRENT_CATALOG", "title = CURRENT_SCHEMA",
        "received < transaction_timestamp()",
        // More than a condition.
        "read; SELECT public.evil(1)", "read) ; SELECT public.evil(1); --", "read) AND (public.evil(1)",
        "read UNION SELECT FROM items", "read RETURNING evil(1)", "read INTO t", "CURRENT OF c", "read /*",
        "read --\n) OR (true",
        "EXISTS (WITH x AS (SELECT 1) SELECT FROM x WHERE items.read)",
        "EXISTS (WITH x AS (DELETE FROM labels RETURNING 1) SELECT FROM x WHERE items.read)",
        "EXISTS (WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT 1 FROM x) SELECT FROM x WHERE items.read)",
        "EXISTS (SELECT FROM labels l WHERE l.item = items.id FOR UPDATE)",
        "EXISTS (SELECT FROM labels TABLESAMPLE SYSTEM (10) WHERE labels.item = items.id)",
        "row_number() OVER () = 1", "count(*) = 1",
        "id IN (SELECT rank() OVER (ORDER BY l.item) FROM labels l)",
        "xmlserialize(CONTENT xmlelement(name a, title) AS text) = ''", "id IN (SELECT id FROM items)",
        "EXISTS (SELECT FROM information_schema.tables t WHERE t.table_name = items.title)",
        "EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = items.title)",
        "EXISTS (SELECT FROM pg_ls_waldir() w WHERE w.name = items.title)",
        "EXISTS (SELECT FROM XMLTABLE('/a' PASSING items.title::xml COLUMNS a int) x)", "tableoid = 1",
        "xmin::text = '1'",
    ]

    @Test("Each of them is refused, and none has run anything")
    func refusedWithoutEffect() throws {
        let store = try OwnedDatabase(Self.schema)
        try store.psql(
            "INSERT INTO items (id, title, mood, read) VALUES (1, 'a', 'sad', true); SELECT setval('called', 1, false)"
        )
        #expect(Self.conditions.count > 100)
        // In a transaction that may write: a sequence that moved stays moved.
        try store.transaction(.writing(lockTimeout: .seconds(1), statementTimeout: .seconds(5))) {
            connection in
            let items = try connection.relation(named: "items")
            for text in Self.conditions {
                #expect(throws: SchemaMismatch.self, "\(text)") {
                    try RowConditions(of: OwnedDatabase.rule(where: text), on: items, in: connection)
                }
            }
        }
        #expect(try store.psql("SELECT is_called FROM called") == "f")
        #expect(try store.database.psql("SELECT count(*) FROM pg_largeobject_metadata") == "0")
        #expect(try store.psql("SELECT count(*) FROM items") == "1")
    }

    @Test("What the owner puts under a name of PostgreSQL's own is not called")
    func shadows() throws {
        let store = try OwnedDatabase(Self.schema)
        try store.psql(
            "INSERT INTO items (id, title, name, mood, dom) SELECT 1, 'A', 'b', 'sad', NULL; "
                + "SELECT setval('called', 1, false)")
        try store.transaction(.writing(lockTimeout: .seconds(1), statementTimeout: .seconds(5))) {
            connection in
            for text in ["lower(title) = 'a'", "length(name) = 1", "title = 'A'"] {
                let items = try connection.relation(named: "items")
                let rule = try OwnedDatabase.rule(where: text)
                let conditions = try RowConditions(of: rule, on: items, in: connection)
                let count = try connection.query(
                    "SELECT count(*) FROM \(items.sql) AS \(items.alias) WHERE "
                        + conditions.terms.joined(separator: " AND "))
                #expect(count.integer(0, 0) == 1, "\(text)")
            }
        }
        #expect(try store.psql("SELECT is_called FROM called") == "f")
    }
}
