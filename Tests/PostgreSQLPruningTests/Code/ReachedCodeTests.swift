import Retention
import RuleEngine
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Code of a table's owner that would run with the rights of the role that prunes",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct ReachedCodeTests {
    static let schema = """
        CREATE TABLE items (id bigint PRIMARY KEY, title text, state int, received timestamptz);
        CREATE TABLE labels (item bigint REFERENCES items ON DELETE CASCADE, name text);
        CREATE TABLE notes (item bigint REFERENCES items ON DELETE SET NULL, body text);
        CREATE TABLE pins (item bigint REFERENCES items);
        CREATE TABLE gone (guid text PRIMARY KEY, noted timestamptz DEFAULT now());
        CREATE FUNCTION evil(anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
        CREATE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RESET ROLE; RETURN OLD; END $$;
        """

    /// The findings as `kind name on table`.
    private static func found(
        _ sql: String, _ action: RowAction = .delete, tombstones: [String]? = nil
    ) throws -> [String] {
        let store = try OwnedDatabase(Self.schema + sql)
        return try store.transaction { connection in
            try ReachedCode(
                of: action, on: connection.relation(named: "items"),
                tombstones: tombstones.map { (try connection.relation(named: "gone"), $0) }, in: connection
            ).findings.map { "\($0.kind.rawValue) \($0.name) on \($0.table)" }
        }
    }

    private static let mark = RowAction.mark([MarkedColumn("state", .integer(1))])

    @Test("A table without such code has none, whatever PostgreSQL's own functions it calls")
    func none() throws {
        let plain = """
            ALTER TABLE items ADD CHECK (length(title) < 100); CREATE INDEX ON items (lower(title));
            ALTER TABLE items ADD low text GENERATED ALWAYS AS (lower(title)) STORED;
            CREATE TRIGGER noted BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER renamed BEFORE UPDATE OF title ON items FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER off AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION fired();
            ALTER TABLE items DISABLE TRIGGER off;
            CREATE TRIGGER far AFTER DELETE ON pins FOR EACH ROW EXECUTE FUNCTION fired();
            """
        #expect(try Self.found(plain) == [])
        #expect(try Self.found(plain, Self.mark) == [])
        #expect(try Self.found(plain, tombstones: ["guid"]) == [])
    }

    @Test("Triggers are found on the table, and on those that foreign keys reach, by what is done there")
    func triggers() throws {
        let all = """
            CREATE TRIGGER a AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER b BEFORE UPDATE ON items FOR EACH STATEMENT EXECUTE FUNCTION fired();
            CREATE TRIGGER c AFTER DELETE ON labels FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER d AFTER UPDATE OF item ON notes FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER e AFTER UPDATE OF body ON notes FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER f BEFORE INSERT ON gone FOR EACH ROW EXECUTE FUNCTION fired();
            """
        #expect(
            try Self.found(all) == ["trigger a on items", "trigger c on labels", "trigger d on notes"])
        #expect(try Self.found(all, Self.mark) == ["trigger b on items"])
        #expect(
            try Self.found(all, Self.mark, tombstones: ["guid"]) == [
                "trigger f on gone", "trigger b on items",
            ])
    }

    @Test("Rules and policies are found")
    func rulesAndPolicies() throws {
        let sql = """
            CREATE RULE keep AS ON DELETE TO items DO INSTEAD NOTHING;
            CREATE RULE other AS ON UPDATE TO items DO ALSO NOTHING;
            ALTER TABLE items ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON items USING (evil(id));
            """
        #expect(try Self.found(sql) == ["policy mine on items", "rule keep on items"])
    }

    @Test("Functions of checks, indexes, statistics, defaults and domains are found where they can run")
    func calculations() throws {
        let sql = """
            CREATE DOMAIN odd AS int CHECK (evil(VALUE));
            ALTER TABLE items ADD CONSTRAINT sane CHECK (evil(state)), ADD odd odd,
                ADD calculated boolean GENERATED ALWAYS AS (evil(id)) STORED;
            CREATE INDEX by_evil ON items (evil(id)); CREATE INDEX partly ON items (id) WHERE evil(1);
            CREATE STATISTICS guessed ON evil(id), id FROM items;
            ALTER TABLE gone ADD sure boolean DEFAULT evil(1);
            """
        #expect(
            try Self.found(sql) == [
                "index by_evil on items", "index partly on items", "statistics guessed on items",
            ])
        #expect(
            try Self.found(sql, Self.mark) == [
                "check sane on items", "domain odd on items", "generated column calculated on items",
                "index by_evil on items", "index partly on items", "statistics guessed on items",
            ])
        #expect(try Self.found(sql, tombstones: ["guid"]).contains("default sure on gone"))
        #expect(try !Self.found(sql, tombstones: ["guid", "sure"]).contains("default sure on gone"))
    }

    @Test(
        "The check or default of a domain is found wherever it is part of a column's type",
        arguments: [
            "CREATE DOMAIN outside AS odd", "CREATE TYPE outside AS (n int, o odd)",
            "CREATE TYPE outside AS RANGE (SUBTYPE = odd)", "CREATE DOMAIN outside AS odd[]",
            "CREATE TYPE pair AS (o odd); CREATE DOMAIN outside AS pair",
            "CREATE FUNCTION number() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'; CREATE DOMAIN outside AS int DEFAULT number()",
        ])
    func domains(sql: String) throws {
        let base = "CREATE DOMAIN odd AS int CHECK (evil(VALUE));" + sql
        let column = base + "; ALTER TABLE items ADD o outside; ALTER TABLE gone ADD o outside;"
        #expect(try Self.found(column) == [])
        #expect(
            try Self.found(column, Self.mark).contains { $0.hasPrefix("domain") && $0.hasSuffix("on items") })
        #expect(
            try Self.found(column, tombstones: ["guid"]).contains {
                $0.hasPrefix("domain") && $0.hasSuffix("on gone")
            })
    }

    @Test(
        "Code is found behind the functions, operators and types that an expression names",
        arguments: [
            "query_to_xml('SELECT 1', true, true, '') IS NOT NULL",
            "set_config('a.b', 'c', true) IS NOT NULL",
            "NOT (id === -5)", "(state::odd) IS NOT NULL",
        ])
    func behind(expression: String) throws {
        let sql = """
            CREATE FUNCTION differ(bigint, bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
            CREATE OPERATOR !== (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = differ, NEGATOR = ===);
            CREATE OPERATOR === (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = pg_catalog.int8eq, NEGATOR = !==);
            CREATE DOMAIN odd AS int CHECK (evil(VALUE));
            ALTER TABLE items ADD CONSTRAINT sane CHECK (\(expression)), ADD number bigint DEFAULT nextval('numbers');
            """
        #expect(try !Self.found("CREATE SEQUENCE numbers;" + sql, Self.mark).isEmpty)
    }

    @Test(
        "Casts of a column's type are found where a column gets a mark or a copied value; without a function they are none",
        arguments: ["mood AS text", "text AS mood", "int AS mood", "moods AS text", "mood[] AS text"])
    func casts(_ cast: String) throws {
        let types = "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TYPE moods AS (m mood);"
        let ends = cast.split(separator: " AS ")
        let function =
            "CREATE FUNCTION cast_it(\(ends[0])) RETURNS \(ends[1]) LANGUAGE sql AS 'SELECT NULL::\(ends[1])';"
        func columns(on table: String) -> String {
            "ALTER TABLE \(table) ADD m mood, ADD n moods, ADD o mood[];"
        }
        let own = types + function + "CREATE CAST (\(cast)) WITH FUNCTION cast_it AS ASSIGNMENT;"
        #expect(try Self.found(own + columns(on: "items")) == [])
        #expect(try Self.found(own + columns(on: "items"), Self.mark).map { $0.hasPrefix("cast ") } == [true])
        #expect(try Self.found(own + columns(on: "gone"), tombstones: ["guid"]).count == 1)
        let plain = types + columns(on: "items") + "CREATE CAST (mood AS text) WITH INOUT AS IMPLICIT;"
        #expect(try Self.found(plain, Self.mark) == [])
    }

    @Test("An index's functions are found on tables that a rule only reads")
    func read() throws {
        let store = try OwnedDatabase(Self.schema + "CREATE INDEX odd ON pins (item) WHERE evil(1);")
        try store.transaction { connection in
            let code = try ReachedCode(
                of: .delete, on: connection.relation(named: "items"),
                reading: [connection.relation(named: "pins")], in: connection)
            #expect(code.findings.map(\.name) == ["odd"])
        }
    }

    @Test("An operator of the owner's in an index or a generated column is found by its function")
    func operators() throws {
        let sql = """
            CREATE FUNCTION same(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
            CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = same);
            """
        let index = sql + "CREATE INDEX odd ON items (id) WHERE state === 1;"
        #expect(try Self.found(index) == ["index odd on items"])
        let column = sql + "ALTER TABLE items ADD odd boolean GENERATED ALWAYS AS (state === 1) STORED;"
        #expect(try Self.found(column) == [])
        #expect(try Self.found(column, Self.mark) == ["generated column odd on items"])
    }

    @Test("Code of one partition alone is found")
    func partitions() throws {
        let store = try OwnedDatabase(
            """
            CREATE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;
            CREATE TABLE items (id bigint, received timestamptz, PRIMARY KEY (id)) PARTITION BY RANGE (id);
            CREATE TABLE low PARTITION OF items FOR VALUES FROM (0) TO (10);
            CREATE TABLE labels (item bigint REFERENCES low (id) ON DELETE CASCADE);
            CREATE TRIGGER a AFTER DELETE ON low FOR EACH ROW EXECUTE FUNCTION fired();
            CREATE TRIGGER b AFTER DELETE ON labels FOR EACH ROW EXECUTE FUNCTION fired();
            """)
        let names = try store.transaction { connection in
            try ReachedCode(of: .delete, on: connection.relation(named: "items"), in: connection).findings
                .map(\.name)
        }
        #expect(Set(names) == ["a", "b"])
    }

    @Test("What would run is refused by name, and a trigger that the preset names is not")
    func check() throws {
        let store = try OwnedDatabase(
            Self.schema + "CREATE TRIGGER noted AFTER DELETE ON labels FOR EACH ROW EXECUTE FUNCTION fired();"
        )
        try store.transaction { connection in
            let code = try ReachedCode(of: .delete, on: connection.relation(named: "items"), in: connection)
            let refusal = #expect(throws: SchemaMismatch.self) { () throws in try code.check() }
            #expect(
                refusal?.cause == "trigger noted on labels would run with the rights of the role that prunes")
            #expect(refusal?.hint?.contains("triggers = [\"noted\"]") == true)
            #expect(throws: Never.self) { () throws in try code.check(allowing: ["noted"]) }
            #expect(code.triggers.first?.definition.contains("RESET ROLE") == true)
        }
    }

    @Test("A privilege that is missing is said with its GRANT, which then is enough")
    func rights() throws {
        let store = try OwnedDatabase(
            Self.schema + "CREATE SCHEMA app; ALTER TABLE labels SET SCHEMA app;")
        try store.psql("REVOKE ALL ON ALL TABLES IN SCHEMA public, app FROM \(store.role)")
        try store.psql("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        var rule = try OwnedDatabase.rule()
        func missing() throws -> SchemaMismatch? {
            try store.transaction { connection in
                let items = try connection.relation(named: "items")
                let rights = NeededRights(
                    rule: rule, relation: items, leaves: [items],
                    tombstones: (try connection.relation(named: "gone"), ["guid"]),
                    read: [try connection.relation(named: "app.labels")])
                do {
                    try rights.check(in: connection)
                    return nil
                } catch let mismatch as SchemaMismatch {
                    return mismatch
                }
            }
        }
        let first = try missing()
        #expect(first?.cause == "the role \(store.role) may not delete rows of items")
        #expect(
            first?.hint
                == "GRANT USAGE ON SCHEMA \"public\" TO \"\(store.role)\"; GRANT SELECT, DELETE, UPDATE (\"id\") ON"
                + " \"public\".\"items\" TO \"\(store.role)\"")
        for _ in 0..<3 { try store.psql(try missing()?.hint ?? "") }
        #expect(try missing()?.cause == nil)
        rule.action = Self.mark
        #expect(
            try missing()?.hint == "GRANT UPDATE (\"state\") ON \"public\".\"items\" TO \"\(store.role)\"")
    }
}
