import Pruning
import RealPrograms
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "A schema that changes in mid-run",
    .enabled(if: PostgreSQLPrograms.directory != nil, "\(PostgreSQLPrograms.comment)"))
struct ChangedSchemaTests {
    @Test(
        "The run ends with an error, and nothing is deleted by a rule that was bound to something else",
        arguments: [
            "ALTER TABLE items ADD COLUMN kept bool DEFAULT true",
            "ALTER TABLE items DROP COLUMN starred",
            "ALTER TABLE items ALTER COLUMN at TYPE timestamp USING at AT TIME ZONE 'Asia/Tokyo'",
            "ALTER TABLE items RENAME COLUMN starred TO favourite",
            "ALTER TABLE items RENAME TO articles; CREATE VIEW items AS SELECT * FROM articles",
            "CREATE TABLE notes (item int REFERENCES items ON DELETE CASCADE); INSERT INTO notes SELECT id FROM items",
            """
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM items; RETURN OLD; END';
            CREATE TRIGGER fire BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION fire()
            """,
            "CREATE RULE others AS ON DELETE TO items DO ALSO UPDATE items SET body = ''",
            "ALTER TABLE items ENABLE ROW LEVEL SECURITY",
        ])
    func changes(sql: String) throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let report = try news.run {
            if $0 == 2 { deed.perform { try news.database.psql(sql, user: news.owner) } }
        }
        try deed.check()
        #expect(report.outcome == .failed || report.outcome == .skipped, "\(report)")
        #expect(report.batches == 2)
        #expect(report.failure?.hint != nil, "\(report)")
        #expect(try Int(report.deleted) == news.gone())
    }

    @Test("A table that another took the name of keeps its rows")
    func swapped() throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let report = try news.run {
            guard $0 == 2 else { return }
            deed.perform {
                try news.database.psql(
                    """
                    BEGIN; ALTER TABLE items RENAME TO before; CREATE TABLE items (LIKE before);
                    INSERT INTO items SELECT * FROM before; GRANT SELECT, UPDATE, DELETE ON items TO \(news.role); COMMIT
                    """, user: news.owner)
            }
        }
        try deed.check()
        #expect(report.failure?.kind == .fault(.schema), "\(report)")
        #expect(try news.gone() == Int(report.deleted))
        #expect(try news.run().outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    /// Two schemas with the same table; the rows of the second one are to stay. The owner may give the name of the first to
    /// the second at any time, without a lock that anybody would notice.
    private static func twins() throws -> PrunedNews {
        let news = try PrunedNews()
        try news.database.psql("GRANT CREATE ON DATABASE \(news.database.name) TO \(news.owner)")
        try news.database.psql(
            """
            CREATE SCHEMA one; CREATE SCHEMA two; CREATE TABLE two.items AS SELECT * FROM items;
            ALTER TABLE items SET SCHEMA one; CREATE TABLE victims AS SELECT * FROM two.items;
            GRANT USAGE ON SCHEMA one, two TO \(news.role);
            GRANT SELECT, UPDATE, DELETE ON one.items, two.items, victims TO \(news.role);
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM victims; RETURN NULL; END';
            CREATE TRIGGER fire BEFORE DELETE ON two.items EXECUTE FUNCTION fire();
            """, user: news.owner)
        return news
    }

    @Test(
        "A schema that another took the name of keeps its rows, and code of its owner leaves nothing behind",
        arguments: [AccessPath.walk, .index], [0, 2])
    func swappedSchema(path: AccessPath, rowsThatExpired: Int) throws {
        let (news, deed) = (try Self.twins(), Deed())
        if rowsThatExpired == 0 {
            try news.database.psql("UPDATE two.items SET starred = true", user: news.owner)
        }
        if path == .index {
            try news.database.psql(
                "CREATE INDEX ON one.items (at); CREATE INDEX ON two.items (at)", user: news.owner)
        }
        func rows(_ table: String) throws -> Int? {
            Int(try news.database.psql("SELECT count(*) FROM \(table)"))
        }
        let before = try rows("two.items")
        var rule = news.rule
        rule.table = "one.items"
        let report = try news.run(rule, accessPath: path) {
            guard $0 == 2 else { return }
            deed.perform {
                try news.database.psql(
                    "BEGIN; ALTER SCHEMA one RENAME TO former; ALTER SCHEMA two RENAME TO one; COMMIT",
                    user: news.owner)
            }
        }
        try deed.check()
        #expect(report.batches >= 2)
        #expect(try rows("one.items") == before)
        #expect(try rows("victims") == before)
        #expect(try rows("former.items") == news.articles - Int(report.deleted))
        if rowsThatExpired > 0 { #expect(report.failure?.kind == .fault(.schema), "\(report)") }
    }

    @Test(
        "Code that the owner adds or replaces in mid-run leaves nothing behind",
        arguments: [
            "CREATE INDEX CONCURRENTLY ON items (id) WHERE evil(1) = 1",
            "CREATE STATISTICS evil ON (evil(1)), id FROM items",
            "CREATE TRIGGER evil BEFORE DELETE ON items EXECUTE FUNCTION fire()",
            "CREATE TRIGGER evil AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION fire()",
        ], [true, false])
    func addedCode(sql: String, hasExpired: Bool) throws {
        let (news, deed) = (try PrunedNews(), Deed())
        try news.database.psql(
            """
            CREATE TABLE victims AS SELECT * FROM items; GRANT SELECT, DELETE ON victims TO \(news.role);
            CREATE FUNCTION evil(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
            'BEGIN IF current_user = ''\(news.role)'' THEN DELETE FROM victims; END IF; RETURN 1; END';
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM victims; RETURN NULL; END'
            """, user: news.owner)
        let report = try news.run {
            guard $0 == 1 else { return }
            deed.perform {
                // Further batches find rows, or none.
                if !hasExpired { try news.database.psql("UPDATE items SET starred = true", user: news.owner) }
                try news.database.psql(sql, user: news.owner)
            }
        }
        try deed.check()
        if hasExpired { #expect(report.failure?.kind == .fault(.schema), "\(report)") }
        #expect(try news.database.psql("SELECT count(*) FROM victims") == "\(news.articles)")
        #expect(try news.gone() == Int(report.deleted))
    }

    @Test("A trigger's function that is replaced is noticed")
    func replacedFunction() throws {
        let news = try PrunedNews(
            """
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
            CREATE TRIGGER fire BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION fire()
            """)
        let url = news.database.url(user: news.role)
        let watch = try Connection(
            Address(text: url, place: "here"), RunControl(monotonic: systemMonotonic))
        let table = try watch.inquire { try watch.relation(named: news.rule.table) }
        var noted = SchemaWatch(tables: [table.oid])
        try watch.transaction(.snapshot) { try noted.note(in: watch) }
        try watch.transaction(.reading) { try noted.check(in: watch) }
        try news.database.psql(
            "CREATE OR REPLACE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            user: news.owner)
        #expect(throws: SchemaChanged.self) {
            try watch.transaction(.reading) { try noted.check(in: watch) }
        }
    }

    @Test("A table that is dropped ends the run with an error")
    func dropped() throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let report = try news.run {
            if $0 == 2 { deed.perform { try news.database.psql("DROP TABLE items", user: news.owner) } }
        }
        try deed.check()
        #expect(report.failure?.kind == .fault(.schema), "\(report)")
        #expect(report.batches == 2)
    }

    @Test("Maintenance of the table changes nothing, and the run goes on")
    func maintained() throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let report = try news.run {
            guard $0 == 2 else { return }
            deed.perform {
                try news.database.psql("VACUUM ANALYZE items", user: news.owner)
                try news.database.psql("REINDEX TABLE items", user: news.owner)
            }
        }
        try deed.check()
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.gone() == news.expired)
    }
}
