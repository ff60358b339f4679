import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "The gate of a PostgreSQL store",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct CatalogTests {
    static let schema = """
        CREATE TABLE feeds (id serial PRIMARY KEY, url text NOT NULL UNIQUE);
        CREATE TYPE status AS ENUM ('unread', 'read');
        CREATE TABLE entries (id bigserial PRIMARY KEY, feed_id int NOT NULL REFERENCES feeds ON DELETE CASCADE,
            hash varchar(64) NOT NULL, title text, published timestamptz NOT NULL, status status, tags text[] DEFAULT '{}',
            "Odd ""name" numeric(10, 2), low text GENERATED ALWAYS AS (lower(title)) STORED, UNIQUE (feed_id, hash));
        CREATE UNIQUE INDEX ON entries (lower(title)) WHERE status = 'unread';
        CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
        CREATE TRIGGER entries_touched BEFORE UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION touched();
        CREATE TABLE enclosures (id bigserial PRIMARY KEY, entry_id bigint REFERENCES entries (id) ON DELETE CASCADE);
        CREATE TABLE unrelated (id int);
        """
    static let names = ["feeds", "entries", "enclosures"]

    private static let rule = RetentionRule(
        name: "entries", store: "news", table: "entries",
        expiry: .age(column: "published", keep: Span(30, .day)),
        condition: "status = 'read'",
        protect: ["EXISTS (SELECT 1 FROM feeds f WHERE f.id = feed_id AND f.url = '')"],
        dependents: ["enclosures"], identity: ["feed_id", "hash"])
    private static let mark: RetentionRule = {
        var rule = Self.rule
        rule.dependents = []
        rule.action = .mark([MarkedColumn("title", .text(""))])
        return rule
    }()

    private static func text(of store: OwnedDatabase) throws -> String {
        try store.transaction { try CatalogFacts(of: names, in: $0).text }
    }

    private static func gate(_ text: String, accepting: Set<String> = []) -> StoreGate {
        StoreGate(schemas: [StoreGate.Schema(versions: "2.3", text: text)], acceptedColumns: accepting)
    }

    /// What the gate says of a database after `sql`, as `cause` and `hint`.
    private static func refusal(
        after sql: String, of rule: RetentionRule = Self.rule, accepting: Set<String> = []
    ) throws -> (cause: String, hint: String?)? {
        let store = try OwnedDatabase(schema)
        let text = try text(of: store)
        try store.psql(sql)
        return try store.transaction { connection in
            do {
                let gate = gate(text, accepting: accepting)
                _ = try Gate(terms: gate, uses: [SchemaUse(rule)], store: "news", place: "db").pass(
                    in: connection)
                return nil
            } catch let error as StoreError {
                return (error.cause, error.hint)
            }
        }
    }

    @Test("A schema that is printed, read and printed again is the same, and passes")
    func roundTrip() throws {
        let store = try OwnedDatabase(Self.schema)
        let text = try Self.text(of: store)
        #expect(try CatalogFacts(text).text == text)
        #expect(
            text.contains("table entries\n  column id bigint not null\n  column feed_id integer not null\n"))
        #expect(text.contains("  column hash character varying(64) not null\n"))
        #expect(text.contains("  column status public.status\n  column tags text[]\n"))
        #expect(text.contains("  column \"Odd \"\"name\" numeric(10, 2)\n  column low text generated\n"))
        #expect(text.contains("  unique (feed_id, hash)\n"))
        #expect(text.contains("  foreign key (feed_id) references feeds (id) on delete cascade\n"))
        #expect(text.contains("  trigger entries_touched before update row "))
        #expect(
            try Self.refusal(after: "CREATE INDEX ON entries (published); ALTER TABLE unrelated ADD x int")
                == nil)
    }

    @Test(
        "What cannot make a deletion wrong is no difference",
        arguments: [
            "ALTER TABLE entries ALTER hash TYPE text, ALTER hash DROP NOT NULL, ALTER title SET NOT NULL",
            "ALTER TABLE entries DROP tags, DROP low",
            "ALTER TABLE feeds ADD pinned boolean, ALTER id TYPE bigint",
            "ALTER TABLE entries ALTER tags TYPE varchar(9)[], ALTER \"Odd \"\"name\" TYPE text",
            "ALTER TABLE enclosures DROP CONSTRAINT enclosures_pkey, ADD feed int REFERENCES feeds, ADD pinned boolean",
            "ALTER TABLE entries DROP CONSTRAINT entries_feed_id_hash_key; CREATE UNIQUE INDEX ON entries (title)",
            "ALTER TABLE entries DROP CONSTRAINT entries_feed_id_fkey",
            "DROP TRIGGER entries_touched ON entries",
            "CREATE TRIGGER more AFTER DELETE ON feeds EXECUTE FUNCTION touched()",
            "CREATE TRIGGER more AFTER INSERT ON entries EXECUTE FUNCTION touched()",
            "CREATE TRIGGER more AFTER DELETE ON entries EXECUTE FUNCTION touched(); ALTER TABLE entries DISABLE TRIGGER more",
            "CREATE OR REPLACE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
        ])
    func noDifference(sql: String) throws {
        #expect(try Self.refusal(after: sql) == nil)
    }

    @Test(
        "What could is said",
        arguments: [
            ("DROP TABLE enclosures", "there is no table enclosures"),
            ("ALTER TABLE entries ALTER hash TYPE bytea USING ''", "entries.hash is bytes, not a text"),
            (
                "ALTER TABLE entries ALTER published TYPE bigint USING 0",
                "entries.published is a number, not a time"
            ),
            ("ALTER TABLE entries DROP status CASCADE", "table entries has no column status"),
            ("ALTER TABLE feeds DROP url", "table feeds has no column url"),
            (
                "ALTER TABLE enclosures DROP CONSTRAINT enclosures_entry_id_fkey",
                "table enclosures has no foreign key (entry_id) references entries (id) on delete cascade"
            ),
            (
                "ALTER TABLE feeds ADD cover bigint REFERENCES entries",
                "table feeds has an unknown foreign key (cover) references entries (id)"
            ),
            (
                "CREATE TRIGGER more AFTER DELETE ON entries EXECUTE FUNCTION touched()",
                "table entries has an unknown trigger more"
            ),
            (
                "CREATE TRIGGER more AFTER DELETE OR UPDATE ON enclosures EXECUTE FUNCTION touched()",
                "table enclosures has an unknown trigger more"
            ),
        ])
    func differences(sql: String, cause: String) throws {
        let refusal = try #require(try Self.refusal(after: sql))
        #expect(refusal.cause.hasPrefix("its schema is not that of 2.3: "))
        #expect(refusal.cause.contains(cause), "\(refusal.cause)")
        #expect(refusal.hint == "known are the schemas of 2.3; a newer pruned may know this one")
    }

    @Test(
        "Of a mark: the triggers of an update, and the unique indexes on its columns",
        arguments: [
            ("DROP TRIGGER entries_touched ON entries", "table entries has no trigger entries_touched"),
            (
                "CREATE OR REPLACE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
                "trigger entries_touched on entries does something else"
            ),
            (
                "ALTER TABLE entries DISABLE TRIGGER entries_touched",
                "trigger entries_touched on entries does something else"
            ),
            (
                "CREATE UNIQUE INDEX ON entries (title)",
                "table entries has an unknown unique index on (title)"
            ),
            ("CREATE UNIQUE INDEX ON entries (published)", nil),
            ("CREATE TRIGGER more AFTER DELETE ON entries EXECUTE FUNCTION touched()", nil),
            ("ALTER TABLE enclosures DROP CONSTRAINT enclosures_entry_id_fkey", nil),
        ] as [(String, String?)])
    func marks(sql: String, cause: String?) throws {
        let refusal = try Self.refusal(after: sql, of: Self.mark)
        #expect((refusal == nil) == (cause == nil), "\(String(describing: refusal))")
        if let cause { #expect(refusal?.cause.contains(cause) == true, "\(String(describing: refusal))") }
    }

    @Test("Blanks in a trigger's function do not count")
    func blanks() throws {
        let sql =
            "CREATE OR REPLACE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n  RETURN   NEW;\nEND $$"
        #expect(try Self.refusal(after: sql, of: Self.mark) == nil)
    }

    @Test("An unknown column refuses the store unless it is accepted")
    func unknownColumns() throws {
        let sql = "ALTER TABLE entries ADD pinned boolean"
        let refusal = try #require(try Self.refusal(after: sql))
        #expect(refusal.cause.hasSuffix("table entries has an unknown column pinned"))
        #expect(
            refusal.hint
                == "if rows go whatever stands there, write accept_columns = [\"entries.pinned\"] into [store.news]"
        )
        #expect(try Self.refusal(after: sql, accepting: ["entries.pinned"]) == nil)
        #expect(try Self.refusal(after: sql, accepting: ["pinned"]) == nil)
    }

    @Test("A rule that writes the usual schema before its table is compared like one that does not")
    func qualified() throws {
        var rule = Self.rule
        rule.table = "public.entries"
        #expect(try Self.refusal(after: "ALTER TABLE entries ADD pinned boolean", of: rule) != nil)
        #expect(
            try Self.refusal(after: "ALTER TABLE feeds ADD cover bigint REFERENCES entries", of: rule) != nil)
        #expect(try Self.refusal(after: "ALTER TABLE feeds ADD pinned boolean", of: rule) == nil)
    }

    @Test("A table that a foreign key reaches must be one that the gate compares")
    func cover() throws {
        let store = try OwnedDatabase(Self.schema)
        let text = try Self.text(of: store)
        try store.transaction { connection in
            let entries = try connection.relation(named: "entries")
            let known = Gate.Known(versions: "2.3", facts: try CatalogFacts(text))
            try known.cover([], of: entries, in: connection)
            let refusal = #expect(throws: SchemaMismatch.self) { () throws in
                try known.cover([connection.relation(named: "unrelated")], of: entries, in: connection)
            }
            #expect(
                refusal?.cause
                    == "the rule reaches table unrelated, which the gate's schema of 2.3 does not have")
        }
        try store.psql("CREATE TABLE pins (entry bigint REFERENCES entries)")
        try store.transaction { connection in
            let known = Gate.Known(versions: "2.3", facts: try CatalogFacts(text))
            #expect(throws: SchemaMismatch.self) { () throws in
                try known.cover([], of: connection.relation(named: "entries"), in: connection)
            }
        }
    }

    @Test("A line that is no fact is named")
    func badText() {
        for (text, part) in [
            ("table a\n  colum id int", "line 2: it is no fact of a table: colum id int"),
            ("column id int", "line 1: it is no fact of a table"), ("\n\n", "names no table"),
            ("table a\n  unique 'x", "line 2: a text does not end"), ("table a\n column x", "line 2"),
        ] {
            let refusal = #expect(throws: SchemaMismatch.self) { () throws in _ = try CatalogFacts(text) }
            #expect(refusal?.cause.contains(part) == true, "\(refusal?.cause ?? "")")
        }
    }

    @Test("suggest tells an app's database, a changed one, and another app's")
    func fit() throws {
        let store = try OwnedDatabase(Self.schema)
        let text = try Self.text(of: store)
        func fit(_ text: String, of rule: RetentionRule = Self.rule) throws -> GateFit {
            try store.transaction {
                try GateFit(of: GatedRules(gate: Self.gate(text), rules: [rule]), place: "db", in: $0)
            }
        }
        #expect(try fit(text) == .fits(versions: "2.3"))
        guard case .differs = try fit(text.replacing("column hash ", with: "column digest ")) else {
            Issue.record("a changed schema is not told")
            return
        }
        let named = "table entries\n" + (0..<40).map { "  column c\($0) text\n" }.joined()
        #expect(try fit(named) == .alike(tables: ["entries"]))
        let other = RetentionRule(
            name: "articles", store: "news", table: "articles",
            expiry: .age(column: "at", keep: Span(30, .day)))
        #expect(try fit("table articles\n  column id bigint not null", of: other) == .other)
    }
}
