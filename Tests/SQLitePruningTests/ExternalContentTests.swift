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

    private static let index =
        "CREATE VIRTUAL TABLE f USING fts5(text, name UNINDEXED, content=m, content_rowid=_id);"
    private static let removal = """
        CREATE TRIGGER d AFTER DELETE ON m BEGIN
        INSERT INTO f (f, rowid, text, name) VALUES ('delete', old._id, old.text, old.name); END;
        """

    private func messages(_ index: String, _ trigger: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE m (_id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER, text TEXT, name TEXT);
            CREATE TABLE "n" (text, name);
            INSERT INTO m VALUES (1, \(old), 'one', 'a'), (2, \(fresh), 'two', 'b'), (3, \(old), 'three', NULL);
            \(index) \(index.isEmpty ? "" : "INSERT INTO f (f) VALUES ('rebuild');") \(trigger)
            """)
    }

    @Test(
        "the usual trigger that tells an FTS5 index of deletions fires without a schema, and the index is whole",
        arguments: [
            ("", ""), ("AFTER DELETE", "BEFORE DELETE"), ("ON m BEGIN", "ON \"M\" FOR EACH ROW BEGIN"),
            ("old._id", "OLD.rowid"), ("CREATE TRIGGER d", "CREATE TRIGGER IF NOT EXISTS [d]"),
            ("INSERT INTO f (f, rowid, text, name)", "insert into F(f, rowid, name, text)"),
        ])
    func usualTrigger(text: String, replacement: String) throws {
        var trigger = Self.removal.replacing(text, with: replacement)
        if replacement.contains("name, text") {
            trigger = trigger.replacing("old.text, old.name", with: "old.name, old.text")
        }
        let app = try messages(Self.index, trigger)
        let report = app.outcome(.old("m"))
        #expect(report.outcome == .done && report.deleted == 2, "\(String(describing: report.failure))")
        #expect(try app.texts("SELECT text FROM f WHERE f MATCH 'one OR two OR three'") == ["two"])
        try app.execute("INSERT INTO f (f, rank) VALUES ('integrity-check', 1)")
    }

    @Test(
        "a trigger that does anything else is refused: it writes",
        arguments: [
            ("'delete', old._id", "'delete', old.at"), ("old.text", "upper(old.text)"),
            ("old.text", "old.name"),
            ("'delete', old._id", "'delete', 7"), ("END;", "DELETE FROM n; END;"),
            ("BEGIN", "WHEN old.at > 5 BEGIN"),
            ("'delete'", "'rebuild'"), (", name) VALUES", ") VALUES"),
            ("ON m BEGIN\nINSERT", "ON m BEGIN\nREPLACE"),
            (
                "INSERT INTO f (f, rowid, text, name) VALUES ('delete', old._id, old.text, old.name)",
                "INSERT INTO n (text, name) VALUES (old.text, old.name)"
            ),
        ])
    func otherTriggers(text: String, replacement: String) throws {
        var trigger = Self.removal.replacing(text, with: replacement)
        if text.hasPrefix(", name") { trigger = trigger.replacing(", old.name", with: "") }
        #expect(trigger != Self.removal)
        let app = try messages(Self.index, trigger)
        let failure = app.outcome(.old("m")).failure
        #expect(failure?.kind == .fault(.schema), "\(String(describing: failure))")
        #expect(try app.integers("SELECT count(*) FROM m") == [3])
    }

    @Test(
        "the usual trigger into an index whose content is elsewhere, or of another kind, is refused",
        arguments: [
            ("content=m", "content=n"), ("content=m, content_rowid=_id", "content=''"),
            (", content_rowid=_id", ", content_rowid=at"),
        ])
    func otherIndexes(text: String, replacement: String) throws {
        let app = try messages("", "")
        try app.execute(Self.index.replacing(text, with: replacement) + Self.removal)
        let failure = app.outcome(.old("m")).failure
        #expect(failure?.cause.contains("trigger d") == true, "\(String(describing: failure))")
    }
}
