import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "A schema that changes in mid-run",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
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

    @Test(
        "What conditions compare by is watched",
        arguments: [
            "CREATE CAST (mood AS text) WITH FUNCTION told(mood) AS IMPLICIT",
            "ALTER COLLATION folding RENAME TO other",
            "ALTER COLLATION folding SET SCHEMA elsewhere",
        ])
    func comparisons(sql: String) throws {
        let news = try PrunedNews(
            """
            CREATE TYPE mood AS ENUM ('open', 'done');
            CREATE FUNCTION told(mood) RETURNS text LANGUAGE sql AS $$SELECT 'done'$$;
            CREATE COLLATION folding (provider = icu, locale = 'und', deterministic = false);
            ALTER TABLE items ADD COLUMN state mood DEFAULT 'open', ADD COLUMN tag text COLLATE folding;
            """)
        let connection = try Connection(
            Address(text: news.database.url(user: news.role), place: "here"),
            RunControl(monotonic: systemMonotonic))
        defer { connection.close() }
        let noted = try Self.noted(news.rule, in: connection)
        #expect(noted.watch.isUnchanged(noted.state))
        try news.database.psql("CREATE SCHEMA elsewhere; \(sql)")
        let now = try connection.query("SELECT \(SchemaWatch.question)", noted.watch.values).text(0, 0)
        #expect(!noted.watch.isUnchanged(now))
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
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM public.victims; RETURN NULL; END';
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
            'BEGIN IF current_user = ''\(news.role)'' THEN DELETE FROM public.victims; END IF; RETURN 1; END';
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM public.victims; RETURN NULL; END'
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

    /// The ways in which code that runs in the session could answer for the check.
    enum Forgery: CaseIterable {
        case preparedName, searchPath
    }

    /// A function `forge()` of the owner's that lets a check in this session find what it found before.
    private static func forgery(_ way: Forgery, of state: String) -> String {
        """
        CREATE FUNCTION hashtextextended(text, int) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT '\(state)'$$;
        CREATE FUNCTION forge() RETURNS void LANGUAGE plpgsql AS $$ DECLARE s record; BEGIN
        IF \(way == .searchPath) THEN PERFORM set_config('search_path', 'public, pg_catalog', true); RETURN; END IF;
        FOR s IN SELECT name, statement LIKE '%xact_id()%' AS has_number FROM pg_prepared_statements
            WHERE statement LIKE '%hashtextextended%' LOOP
            EXECUTE format('DEALLOCATE %I', s.name);
            EXECUTE format('PREPARE %I (oid[], oid[], oid[]) AS SELECT %s ''\(state)''::text, 0 WHERE num_nulls($1, $2, $3) = 0',
                s.name, CASE WHEN s.has_number THEN 'pg_current_xact_id(), ' END);
        END LOOP; END $$
        """
    }

    /// What a batch that is bound to `rule` notes, and its answer.
    private static func noted(
        _ rule: RetentionRule, in connection: Connection
    ) throws -> (watch: SchemaWatch, state: String) {
        try connection.transaction(.snapshot) {
            var watch = SchemaWatch(try BoundRule(rule, in: connection))
            try watch.note(in: connection)
            watch.leaf = try connection.relation(named: rule.table).oid
            let state = try connection.query("SELECT \(SchemaWatch.question)", watch.values).text(0, 0)
            return (watch, state ?? "")
        }
    }

    @Test(
        "A trigger made between two batches that answers for the check deletes nothing of others",
        arguments: [AccessPath.walk, .index], Forgery.allCases)
    func forgedCheck(path: AccessPath, way: Forgery) throws {
        let (news, deed) = (
            try PrunedNews("CREATE INDEX ON items (at); CREATE TABLE victims AS SELECT * FROM items"), Deed()
        )
        let connection = try Connection(
            Address(text: news.database.url(user: news.role), place: "here"),
            RunControl(monotonic: systemMonotonic))
        let state = try Self.noted(news.rule, in: connection).state
        connection.close()
        try news.database.psql(
            Self.forgery(way, of: state) + """
                ; CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                DELETE FROM public.victims; PERFORM public.forge(); RETURN NULL; END $$
                """, user: news.owner)
        let report = try news.run(accessPath: path) {
            guard $0 == 2 else { return }
            deed.perform {
                try news.database.psql(
                    "CREATE TRIGGER fire BEFORE DELETE ON items EXECUTE FUNCTION fire()", user: news.owner)
            }
        }
        try deed.check()
        #expect(report.failure?.kind == .fault(.schema), "\(report)")
        #expect(try news.database.psql("SELECT count(*) FROM victims") == "\(news.articles)")
        #expect(try news.gone() == Int(report.deleted))
    }

    @Test("Code that has run in the session before a look does not answer it", arguments: Forgery.allCases)
    func forgedLook(way: Forgery) throws {
        let news = try PrunedNews()
        let connection = try Connection(
            Address(text: news.database.url(user: news.role), place: "here"),
            RunControl(monotonic: systemMonotonic))
        let (watch, state) = try Self.noted(news.rule, in: connection)
        try news.database.psql(Self.forgery(way, of: state), user: news.owner)
        let kind = TransactionKind.writing(lockTimeout: .seconds(1), statementTimeout: nil)
        for number in 0..<2 {
            try watch.begin(kind, "", isPrepared: true, in: connection)
            try watch.check(in: connection)
            if number == 1 {
                try connection.run("SELECT public.forge()")
                try news.database.psql("ALTER TABLE items ADD COLUMN added int", user: news.owner)
                #expect(throws: (any Error).self) { try watch.check(in: connection) }
            }
            connection.rollBack()
        }
    }

    @Test("Nobody can put a trigger on the tables of a batch while it runs")
    func locks() throws {
        let news = try PrunedNews(
            "CREATE TABLE labels (item int REFERENCES items ON DELETE CASCADE); CREATE INDEX ON labels (item); REVOKE ALL ON labels FROM PUBLIC"
        )
        try news.database.psql(
            """
            REVOKE ALL ON labels FROM \(news.role);
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'
            """, user: news.owner)
        let connection = try Connection(
            Address(text: news.database.url(user: news.role), place: "here"),
            RunControl(monotonic: systemMonotonic))
        defer { connection.close() }
        var rule = news.rule
        rule.dependents = ["labels"]
        let watch = try Self.noted(rule, in: connection).watch
        let tables = try connection.inquire {
            try ["items", "labels"].map { try connection.relation(named: $0).oid }
        }
        let locks = try connection.inquire { try TableLocks(tables, in: connection) }
        let kind = TransactionKind.writing(lockTimeout: .seconds(1), statementTimeout: nil)
        try watch.begin(kind, locks.sql(), isPrepared: true, in: connection)
        for table in ["items", "labels"] {
            #expect(throws: (any Error).self) {
                try news.database.psql(
                    "SET lock_timeout = '50ms'; CREATE TRIGGER fire BEFORE DELETE ON \(table) EXECUTE FUNCTION fire()",
                    user: news.owner)
            }
            // The app goes on.
            try news.database.psql("DELETE FROM \(table) WHERE false", user: news.owner)
        }
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
        _ = try watch.transaction(.reading) { try noted.check(in: watch) }
        try news.database.psql(
            "CREATE OR REPLACE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            user: news.owner)
        #expect(throws: SchemaChanged.self) {
            _ = try watch.transaction(.reading) { try noted.check(in: watch) }
        }
    }

    /// What changes, and whether a batch on the leaf `b` goes on, with `keep_last` or without.
    @Test(
        "A batch looks at its own leaf, the tables above it and those that it reads, and at no other leaf",
        arguments: [
            ("CREATE INDEX ON a ((id + 1))", true), ("ALTER TABLE a ADD CHECK (id > -1)", true),
            ("CREATE TRIGGER fire BEFORE DELETE ON a FOR EACH ROW EXECUTE FUNCTION fire()", true),
            ("CREATE INDEX ON b ((id + 1))", false),
            ("CREATE TRIGGER fire BEFORE DELETE ON b FOR EACH ROW EXECUTE FUNCTION fire()", false),
            ("CREATE RULE fire AS ON DELETE TO b DO NOTHING", false), ("ALTER TABLE b RENAME TO c", false),
            ("CREATE TABLE refers (id int REFERENCES b ON DELETE CASCADE)", false),
            ("ALTER SCHEMA apart RENAME TO other", false), ("ALTER TABLE middle RENAME TO other", false),
            ("ALTER TABLE news ADD COLUMN kept bool", false), ("ALTER TYPE mood RENAME TO other", false),
            ("CREATE INDEX ON p ((item + 1))", false), ("DROP TABLE pins", false),
        ], [nil, Int64(1)])
    func looksAtOneLeaf(change: (sql: String, goesOn: Bool), keepLast: Int64?) throws {
        let news = try PrunedNews(
            """
            CREATE TYPE mood AS ENUM ('sad'); CREATE SCHEMA apart;
            CREATE TABLE news (id int PRIMARY KEY, at timestamptz NOT NULL, mood mood) PARTITION BY RANGE (id);
            CREATE TABLE middle PARTITION OF news FOR VALUES FROM (0) TO (20) PARTITION BY RANGE (id);
            CREATE TABLE a PARTITION OF middle FOR VALUES FROM (0) TO (10);
            CREATE TABLE b PARTITION OF middle FOR VALUES FROM (10) TO (20); CREATE INDEX ON news (at);
            CREATE TABLE pins (item int PRIMARY KEY REFERENCES news) PARTITION BY RANGE (item);
            CREATE TABLE p PARTITION OF pins DEFAULT;
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'
            """)
        try news.database.psql("GRANT CREATE ON DATABASE \(news.database.name) TO \(news.owner)")
        try news.database.psql("ALTER TABLE b SET SCHEMA apart", user: news.owner)
        var rule = news.rule
        (rule.table, rule.protect, rule.keepLast) = ("news", [], keepLast)
        rule.keptBy = [ColumnReference(table: "pins", column: "item")]
        let url = news.database.url(user: news.owner)
        let connection = try Connection(
            Address(text: url, place: "here"), RunControl(monotonic: systemMonotonic))
        defer { connection.close() }
        var watch = try Self.noted(rule, in: connection).watch
        watch.leaf = try connection.inquire { try connection.relation(named: "apart.b").oid }
        try connection.transaction(.reading) { _ = try watch.check(in: connection) }
        try news.database.psql("SET search_path = public, apart; \(change.sql)", user: news.owner)
        let goesOn = change.goesOn && keepLast == nil
        try connection.transaction(.reading) {
            if goesOn {
                try watch.check(in: connection)
            } else {
                _ = #expect(throws: SchemaChanged.self) { _ = try watch.check(in: connection) }
            }
        }
        // Who forgets to say which leaf learns nothing.
        watch.leaf = nil
        try connection.transaction(.reading) {
            _ = #expect(throws: SchemaChanged.self) { _ = try watch.check(in: connection) }
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
