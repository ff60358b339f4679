import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Conditions on rows of a PostgreSQL table",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct ConditionTests {
    static let schema = """
        CREATE TYPE mood AS ENUM ('sad', 'glad');
        CREATE DOMAIN short AS text CHECK (length(VALUE) < 100);
        CREATE TABLE items (id bigint PRIMARY KEY, feed_id int, title text, read boolean, starred int,
            received timestamptz, day date, tags text[], extra jsonb, mood mood, "Odd name" text, short short, guid uuid);
        CREATE TABLE labels (item bigint REFERENCES items, name text, guid uuid);
        CREATE INDEX ON labels (item);
        CREATE TABLE "Big Feeds" (id int PRIMARY KEY, keep boolean);
        CREATE SCHEMA other; CREATE TABLE other.pins (item bigint PRIMARY KEY);
        CREATE VIEW starred_items AS SELECT id FROM items WHERE starred = 1;
        """

    @Test("What depends on the row alone, and on rows of other tables, is accepted")
    func accepted() throws {
        let store = try Self.store.get()
        try store.psql("GRANT USAGE ON SCHEMA other TO \(store.role)")
        for text in [
            "read", "read = TRUE AND starred = 0", "starred = 0 -- not starred", "title LIKE '%now%'",
            "lower(title) = 'today'", "\"Odd name\" <> ''", "short = 'a'", "coalesce(title, '') = ''",
            "received < '2020-01-01'", "received + INTERVAL '1d' < '2020-01-01'", "received > day",
            "tags IS NULL",
            "guid = '0f0e0d0c-0b0a-0908-0706-050403020100'", "guid IN (SELECT guid FROM labels)",
            "extra->>'keep' = 'no'", "extra->>'keep'", "mood = 'sad'", "mood IN ('sad', 'glad')",
            "feed_id BETWEEN 1 AND 5", "substring(title, 1, 2) = 'ab'", "READ AND Items.Starred = 1",
            "EXISTS (SELECT 1 FROM labels l WHERE l.item = items.id)",
            "EXISTS (SELECT 1 FROM labels WHERE item = items.id AND name <> 'x')",
            "items.id IN (SELECT item FROM labels)",
            "id NOT IN (SELECT item FROM labels WHERE item IS NOT NULL)",
            "EXISTS (SELECT 1 FROM labels l JOIN \"Big Feeds\" f ON f.keep WHERE l.item = items.id AND f.id = 1)",
            "feed_id IN (SELECT id FROM \"Big Feeds\" WHERE keep)",
            "EXISTS (SELECT 1 FROM other.pins p WHERE p.item = items.id)",
        ] {
            let refusal = try store.refusal(of: text)
            #expect(refusal == nil, "\(text): \(refusal?.cause ?? "")")
        }
    }

    @Test(
        "What does not fit the table is refused, with its place and what to write",
        arguments: [
            ("starred", "has starred where a truth value is expected, at character 1", "starred <> 0"),
            (
                "reed = TRUE", "names reed, which is no column of items, at character 1",
                "did you mean \"read\"?"
            ),
            ("Read AND \"Starred\" = 1", "names Starred, which is no column", "did you mean \"starred\"?"),
            ("read = 1", "compares read (truth values, boolean) with the number 1", "TRUE or FALSE"),
            ("EXISTS (SELECT 1 FROM lables l WHERE l.item = items.id)", "reads lables", "labels"),
            (
                "EXISTS (SELECT 1 FROM starred_items s WHERE s.id = items.id)",
                "starred_items is a view", "that has its rows"
            ),
            (
                "EXISTS (SELECT 1 FROM items i WHERE i.id > items.id)", "reads items, of which rule",
                "keep_last"
            ),
            (
                "EXISTS (SELECT 1 FROM public.items i WHERE i.id > items.id)", "reads items, of which rule",
                "keep_last"
            ),
            (
                "EXISTS (SELECT 1 FROM pg_class c WHERE c.relname = items.title)",
                "there is no table \"pg_class\"", ""
            ),
            (
                "EXISTS (SELECT 1 FROM labels WHERE item = feed_id)", "names feed_id in a subquery",
                "write items.feed_id"
            ),
            ("ctid = '(0,1)'", "names ctid, which is no column", ""),
            ("items IS NULL", "names items, which is no column", ""),
            ("received < now()", "calls now()", "age_column and keep"),
            ("received < 'yesterday'", "compares a time with 'yesterday'", "written as"),
            ("tags = '{a}'", "compares tags", "IS NULL"),
            ("extra = '{}'", "compares extra (JSON, jsonb)", "->>"),
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

    @Test("A table that the role may not read is refused with the GRANT that is missing")
    func privileges() throws {
        let store = try OwnedDatabase(Self.schema)
        try store.psql("REVOKE ALL ON labels FROM \(store.role)")
        let refusal = try store.refusal(of: "EXISTS (SELECT 1 FROM labels l WHERE l.item = items.id)")
        #expect(refusal?.hint == "GRANT SELECT ON \"public\".\"labels\" TO \"\(store.role)\"")
    }
}
