import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Full-text indexes that read their texts in a table of which rows are deleted.
struct ExternalContentTests {
    @Test(
        "what a full-text index reads is known however its statement is written",
        arguments: [
            ("USING fts5(a, content='t')", "t"),
            ("using FTS5 (a, CONTENT = \"my t\", content_rowid='id')", "my t"),
            ("USING \"fts5\"(a, content=[t])", "t"), ("USING fts5(a, cont=`t`)", "t"),
            ("USING fts5(a, content=t)", "t"), ("USING fts5(a, content='it''s')", "it's"),
            ("USING fts5(a, /* content='x', */ content='t' -- content='y'\n, tokenize='porter ascii')", "t"),
            ("USING fts5(a\n,\ncontent\n=\n't'\n)", "t"), ("USING fts5(a, content=ärger)", "ärger"),
            ("USING fts4(content=\"t\", a)", "t"),
            ("USING fts4(content=t, a, tokenize=unicode61 \"x=,)\")", "t"),
            ("USING fts4(content=my t, a)", "my t"), ("USING Fts4(tokenize=simple, content='t')", "t"),
            ("USING fts5(a, content='')", nil), ("USING fts4(content=, a)", nil),
            ("USING fts5(a, content)", nil),
            ("USING fts5(content, b)", nil), ("USING fts5(a, content_rowid='t')", nil),
            ("USING fts5(a)", nil),
            ("USING fts5(a, tokenize = 'content=t')", nil), ("USING fts5(\"content=t\")", nil),
            ("USING rtree(id, content=t)", nil), ("USING fts3(content=t)", nil), ("USING fts5", nil),
            ("", nil),
            ("USING fts5(a, content='t", "t"),
        ] as [(String, String?)])
    func statement(using: String, source: String?) {
        for name in ["f", "\"using\"", "'using fts5(content=x)'", "main.[f]"] {
            let found = ExternalContent(index: "f", statement: "CREATE VIRTUAL TABLE \(name) \(using)")
            #expect(found?.source == source)
        }
    }

    private static let tables = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
        CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t ON DELETE CASCADE, text TEXT);
        CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT);
        CREATE INDEX child_t ON child (t_id);
        CREATE VIEW seen AS SELECT x.id, x.text FROM (SELECT * FROM T) AS x;
        CREATE VIEW "elsewhere" AS SELECT id, text FROM other;
        INSERT INTO t VALUES (1, \(old), 'one'), (2, \(fresh), 'two');
        INSERT INTO child VALUES (1, 1, 'one'), (2, 2, 'two');

        """

    @Test(
        "a rule is refused whose deletions a full-text index would not be told of",
        arguments: [
            "fts5(text, content='t', content_rowid='id')", "fts5(text, content=\"T\", content_rowid=id)",
            "fts4(content=t, text)", "fts4(content=\"t\", text)",
            "fts5(text, content='child', content_rowid='id')",
            "fts5(text, content=[seen], content_rowid='id')",
        ])
    func refused(module: String) throws {
        let app = try TemporaryStore(
            Self.tables + "CREATE VIRTUAL TABLE f USING \(module); INSERT INTO f (f) VALUES ('rebuild');")
        for isDry in [true, false] {
            let report = app.outcome(.old(dependents: ["child"]), dryRun: isDry)
            #expect(report.outcome == .failed)
            #expect(report.failure?.kind == .fault(.schema))
            #expect(report.failure?.cause.contains("full-text index f") == true, "\(report)")
        }
        #expect(try app.texts("SELECT text FROM f WHERE f MATCH 'one OR two' ORDER BY 1") == ["one", "two"])
    }

    @Test(
        "a full-text index with texts of its own, with none, or with those of another table is no obstacle",
        arguments: [
            "fts5(text)", "fts4(text)", "fts5(text, content='')", "fts4(content=\"\", text)",
            "fts5(text, content='other', content_rowid='id')", "fts4(content=elsewhere, text)", "fts3(text)",
            "fts5(text, content='gone')",
        ])
    func noObstacle(module: String) throws {
        let app = try TemporaryStore(Self.tables + "CREATE VIRTUAL TABLE f USING \(module);")
        let report = app.outcome(.old(dependents: ["child"]))
        #expect(report.outcome == .done, "\(String(describing: report.failure))")
        #expect(try app.integers("SELECT id FROM t") == [2])
    }

    @Test("a trigger that tells the index of deletions is refused as what it is: it writes")
    func trigger() throws {
        let app = try TemporaryStore(
            Self.tables + """
                CREATE VIRTUAL TABLE f USING fts5(text, content='t', content_rowid='id');
                CREATE TRIGGER d AFTER DELETE ON t BEGIN
                INSERT INTO f (f, rowid, text) VALUES ('delete', OLD.id, OLD.text); END;
                """)
        let report = app.outcome(.old(dependents: ["child"]))
        #expect(report.failure?.cause.contains("trigger d") == true, "\(report)")
    }
}
