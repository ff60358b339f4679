import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite("What was deleted comes back as it was")
struct RoundTripTests {
    private static let schema = """
        CREATE SCHEMA other;
        CREATE TYPE other.mood AS ENUM ('sad', 'so "so", or so', 'happy');
        CREATE DOMAIN other.short AS varchar(8) CHECK (VALUE <> '');
        CREATE TYPE other.pair AS (a int, b text);
        CREATE TABLE "Odd ""T'able" (
            "Id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz, s serial, gone int,
            "quo""ted" text, "UPPER" text, \(String(repeating: "long", count: 15))_a text,
            \(String(repeating: "long", count: 15))_b text,
            n numeric, n2 numeric(8, 2), f8 float8, f4 float4, i2 int2, i8 int8, yes boolean, b bytea, a text[],
            ia int[][], j json, jb jsonb, tz timestamptz(3), ts timestamp, d date, ti time, tt timetz, iv interval,
            u uuid, m other.mood, dom other.short, p other.pair, c char(5), ch "char", vc varchar(10), ip inet,
            net cidr, mac macaddr, bi bit(3), vb varbit, x xml, pt point, bx box, pg polygon, tsv tsvector, tq tsquery,
            r int4range, tr tstzrange, mr int4multirange, mon money, lsn pg_lsn, ct citext,
            g int GENERATED ALWAYS AS (s * 2) STORED);
        ALTER TABLE "Odd ""T'able" DROP COLUMN gone;
        """

    private static let rows = """
        INSERT INTO "Odd ""T'able" (at, "quo""ted", "UPPER", \(String(repeating: "long", count: 15))_a,
            \(String(repeating: "long", count: 15))_b, n, n2, f8, f4, i2, i8, yes, b, a, ia, j, jb, tz, ts, d, ti, tt, iv,
            u, m, dom, p, c, ch, vc, ip, net, mac, bi, vb, x, pt, bx, pg, tsv, tq, r, tr, mr, mon, lsn, ct)
        VALUES
        ('2026-01-01', '', E'a\\nb\\t\\\\ "q" ''s''', 'first', 'second', 123456789012345678901234567890.000000000100, 1.50,
            1.7976931348623157e308, 3.4028235e38, -32768, -9223372036854775808, true, '\\x0001ff27225c', '{"a,b","",NULL,"\\"x\\\\"}',
            '{{1,2},{3,NULL}}', '{"a" : 1,  "a":2}', '{"b":[1,null,"\\u00e9"]}', 'infinity', '-infinity', '4713-01-01 BC',
            '24:00', '10:00:00.123456+05:30', '-1 year -2 mons +3 days -04:05:06.7',
            'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'so "so", or so', 'x y', ROW(1, 'a "b", (c)'), 'ab', 'z', 'abc',
            '::1/64', '10.1.0.0/16', '08:00:2b:01:02:03', '101', '1', '<a>&amp;</a>', '(0.1,1e300)', '(1,1),(0,0)',
            '((0,0),(1,1))', 'a:1A fat:2B,4C', 'fat & (rat | !cat)', '[1,5)', '[2026-01-01,)', '{[1,3),[7,9)}',
            '-1234.56', '16/B374D848', 'CiText'),
        ('2026-01-02', 'é 漢 🦊', NULL, NULL, NULL, 'NaN', 0, '-Infinity', 'NaN', NULL, NULL, false, '', '{}', '{}', 'null',
            'null', '2026-06-01 12:00:00.123', '0044-03-15 00:00:00.000001 BC', 'infinity', '00:00', '00:00+00', '0',
            NULL, 'sad', NULL, ROW(NULL, NULL), '', '', '', '1.2.3.4', '::/0', NULL, '000', '', 'text only', NULL, NULL,
            NULL, '', '', 'empty', 'empty', '{}', 0, '0/0', ''),
        ('2026-01-03', \(String(repeating: "NULL, ", count: 45))NULL),
        ('2026-01-04', repeat('long', 100000), 'u', '', '', 1e-40, NULL, 4.9406564584124654e-324, 1e-45, 1, 1, NULL, NULL,
            '[0:1]={a,b}', NULL, '1', '1e400', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'happy', NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, 'É'),
        (now() + interval '1 year', 'stays', \(String(repeating: "NULL, ", count: 44))NULL);
        """

    /// Settings of a role that change how values are written or read.
    private static let settings = [
        "DateStyle = 'German, DMY'", "IntervalStyle = sql_standard", "TimeZone = 'Asia/Tokyo'",
        "extra_float_digits = -15", "bytea_output = escape", "array_nulls = off", "xmlbinary = hex",
        "xmloption = document", "standard_conforming_strings = off", "backslash_quote = off",
        "quote_all_identifiers = on", "client_encoding = LATIN1", "search_path = other",
        "default_text_search_config = 'pg_catalog.german'", "transform_null_equals = on",
        "default_transaction_isolation = serializable", "default_transaction_read_only = on",
    ]

    @Test(
        "Values of every type are the same, and columns with odd names, whatever the settings of the role are",
        arguments: ["never", "before the run", "before the restore"])
    func types(settings: String) throws {
        let store = try ArchivedDatabase(Self.schema + Self.rows, setup: "CREATE EXTENSION citext;")
        func set(_ moment: String) throws {
            guard settings == moment else { return }
            let sql = Self.settings.map { "ALTER ROLE \(store.app.role) SET \($0)" }
            try store.app.database.psql(sql.joined(separator: "; "))
        }
        try set("before the run")
        try store.app.psql("GRANT USAGE ON SCHEMA other TO \(store.app.role)")
        let content = "SELECT \"Id\", t::text FROM \"Odd \"\"T'able\" t ORDER BY \"Id\""
        let before = try store.app.psql(content)
        let report = try store.prune(.archiving("Odd \"T'able"))
        #expect(report.rules.map(\.deleted) == [4], "\(report)")
        #expect(try store.archivedRows() == 4)
        try set("before the restore")
        let preview = try store.restore(dryRun: true)
        #expect(preview.map(\.restored) == [4], "\(preview)")
        let restored = try store.restore()
        #expect(restored.map(\.restored) == [4], "\(restored)")
        #expect(try store.app.psql(content) == before)
        #expect(try store.archivedRows() == 0)
        #expect(try store.app.psql("SELECT last_value FROM \"Odd \"\"T'able_Id_seq\"") == "5")
    }

    @Test("A database in SQL_ASCII gets its bytes back")
    func bytes() throws {
        let server = try PostgreSQLServer.shared
        let role = try server.createRole()
        try server.psql(
            "CREATE DATABASE ascii_\(role) TEMPLATE template0 ENCODING SQL_ASCII LC_COLLATE 'C' LC_CTYPE 'C'")
        defer { _ = try? server.psql("DROP DATABASE ascii_\(role) WITH (FORCE)") }
        func psql(_ sql: String) throws -> String { try server.psql(sql, database: "ascii_\(role)") }
        _ = try psql(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, x text); GRANT ALL ON t TO \(role);
            INSERT INTO t VALUES (1, '2026-01-01', E'\\xff\\xfe\\xe9'), (2, '2026-01-01', E'\\xc3\\xa9')
            """)
        let content = "SELECT id, encode(textsend(x), 'hex') FROM t ORDER BY id"
        let before = try psql(content)
        let archived = try ArchivedDatabase("")
        let url = server.url(database: "ascii_\(role)", user: role)
        let store = PostgreSQLStore(
            StoreDefinition(name: "s", kind: .postgresql(try ConnectionString(url))), url: url,
            holder: "pruned test:1", archive: archived.archive, monotonic: systemMonotonic)
        let report = PruneRun.report([.archiving()], on: [store])
        #expect(report.rules.map(\.deleted) == [2], "\(report)")
        let part = try #require(archived.parts().first)
        let restored = RestoreRun(
            part, into: store, leaseEnd: runStart,
            settings: RunSettings(patience: .milliseconds(200), monotonic: systemMonotonic),
            control: RunControl(monotonic: systemMonotonic)
        ).execute()
        #expect(restored.restored == 2, "\(restored)")
        #expect(try psql(content) == before)
    }
}
