import Pruning
import Retention
import RuleEngine
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "What a gate reads of a PostgreSQL database",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct SchemaReadingTests {
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

    private static func schema(of store: OwnedDatabase) throws -> StoreSchema {
        try store.transaction { try StoreSchema(of: names, in: $0) }
    }

    /// What the gate says of a database after `sql`.
    private static func refusal(
        after sql: String, of rule: RetentionRule = Self.rule, accepting: Set<String> = []
    ) throws -> (cause: String, hint: String?)? {
        let store = try OwnedDatabase(schema)
        let gate = StoreGate(
            [.init(versions: "2.3", try Self.schema(of: store))], acceptedColumns: accepting)
        try store.psql(sql)
        return try store.transaction { connection in
            do throws(StoreError) {
                _ = try Gate(gate, for: [SchemaUse(rule)], store: "news", place: "db", names: .postgresql)
                    .pass(Self.readSchema(connection))
                return nil
            } catch {
                return (error.cause, error.hint)
            }
        }
    }

    @Test("A schema that is read, printed and read again is the same")
    func roundTrip() throws {
        let schema = try Self.schema(of: try OwnedDatabase(Self.schema))
        let text = schema.text
        #expect(try StoreSchema(text).text == text)
        for part in [
            "table entries\n  column id number\n  column feed_id number\n  column hash text\n",
            "  column published time\n  column status other public.status\n  column tags other text[]\n",
            "  column \"Odd \"\"name\" number\n  column low text\n", "  primary key (id)\n",
            "  unique (feed_id, hash)\n",
            "  unique (lower (title)) where (status = 'unread'::public.status)\n",
            "  foreign key (feed_id) references feeds (id) on delete cascade\n",
            "  trigger entries_touched before update row '",
        ] {
            #expect(text.contains(part), "\(part)\n\(text)")
        }
    }

    @Test(
        "What is read after a change makes the difference, and what means the same makes none",
        arguments: [
            ("ALTER TABLE entries ALTER hash TYPE text, ALTER hash DROP NOT NULL", nil),
            ("ALTER TABLE feeds ALTER id TYPE bigint", nil),
            ("CREATE TRIGGER more AFTER INSERT ON entries EXECUTE FUNCTION touched()", nil),
            (
                "CREATE TRIGGER more AFTER DELETE ON entries EXECUTE FUNCTION touched(); ALTER TABLE entries DISABLE TRIGGER more",
                nil
            ),
            ("DROP TABLE enclosures", "there is no table enclosures"),
            ("ALTER TABLE entries ALTER hash TYPE bytea USING ''", "entries.hash is bytes, not a text"),
            (
                "ALTER TABLE entries ALTER published TYPE bigint USING 0",
                "entries.published is a number, not a time"
            ),
            ("ALTER TABLE entries DROP status CASCADE", "table entries has no column status"),
            (
                "ALTER TABLE enclosures DROP CONSTRAINT enclosures_entry_id_fkey",
                "table enclosures has no foreign key (entry_id) references entries (id) on delete cascade"
            ),
            (
                "ALTER TABLE feeds ADD cover bigint REFERENCES entries",
                "table feeds has an unknown foreign key (cover) references entries (id)"
            ),
            (
                "CREATE TRIGGER more AFTER DELETE OR UPDATE ON enclosures EXECUTE FUNCTION touched()",
                "table enclosures has an unknown trigger more"
            ),
        ] as [(String, String?)])
    func differences(sql: String, cause: String?) throws {
        let refusal = try Self.refusal(after: sql)
        #expect((refusal == nil) == (cause == nil), "\(String(describing: refusal))")
        if let cause { #expect(refusal?.cause.contains(cause) == true, "\(String(describing: refusal))") }
    }

    @Test(
        "Of a mark: what a trigger's function says, without its blanks, and unique indexes",
        arguments: [
            (
                "CREATE OR REPLACE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
                "trigger entries_touched on entries does something else"
            ),
            (
                "CREATE OR REPLACE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n  RETURN   NEW;\nEND $$",
                nil
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
        ] as [(String, String?)])
    func marks(sql: String, cause: String?) throws {
        let refusal = try Self.refusal(after: sql, of: Self.mark)
        #expect((refusal == nil) == (cause == nil), "\(String(describing: refusal))")
        if let cause { #expect(refusal?.cause.contains(cause) == true, "\(String(describing: refusal))") }
    }

    private static func readSchema(_ connection: Connection) throws(StoreError) -> StoreSchema {
        try connection.perform("read the schema") { try StoreSchema(of: names, in: connection) }
    }

    @Test("An unknown column refuses the store unless it is accepted")
    func unknownColumns() throws {
        let sql = "ALTER TABLE entries ADD pinned boolean"
        let refusal = try #require(try Self.refusal(after: sql))
        #expect(refusal.cause.hasSuffix("table entries has an unknown column pinned"))
        #expect(
            refusal.hint
                == "if the new columns do not affect deletion, add accept_columns = [\"entries.pinned\"] to [store.news]"
        )
        #expect(try Self.refusal(after: sql, accepting: ["entries.pinned"]) == nil)
    }

    @Test("A table that a foreign key reaches must be one that the gate compares")
    func cover() throws {
        let store = try OwnedDatabase(Self.schema)
        let known = StoreGate.Known(versions: "2.3", try Self.schema(of: store))
        try store.transaction { connection in
            let entries = try connection.relation(named: "entries")
            try known.cover([], of: entries, and: [], in: connection)
            let refusal = #expect(throws: SchemaMismatch.self) { () throws in
                try known.cover(
                    [connection.relation(named: "unrelated")], of: entries, and: [], in: connection)
            }
            #expect(
                refusal?.cause
                    == "the rule reaches table unrelated, which the gate's schema of 2.3 does not have")
        }
        try store.psql("CREATE TABLE pins (entry bigint REFERENCES entries)")
        try store.transaction { connection in
            _ = #expect(throws: SchemaMismatch.self) { () throws in
                try known.cover([], of: connection.relation(named: "entries"), and: [], in: connection)
            }
        }
    }

    @Test("suggest tells an app's database, a changed one, and another app's")
    func fit() throws {
        let store = try OwnedDatabase(Self.schema)
        let text = try Self.schema(of: store).text
        func fit(_ text: String, of rule: RetentionRule = Self.rule) throws -> GateFit {
            let gate = StoreGate([.init(versions: "2.3", try StoreSchema(text))])
            return try store.transaction {
                try Gate(gate, for: [SchemaUse(rule)], place: "db", names: .postgresql)
                    .fit(StoreSchema(of: gate.tables, in: $0))
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
        #expect(try fit("table articles\n  column id number", of: other) == .other)
    }
}
