import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Names of tables and columns, which come from an app and from a configuration file.
struct NameTests {
    private static let oddNames = [
        "with space", "quo\"te", "\"", "\"\"", "it's", "semi;colon", "dash--dash", "/* comment */", "a.b",
        "select",
        "table", "rowid", "_rowid_", "oid", "main", "1", "123abc", "näme", "表", "💾", "tab\tnew\nline", "%s",
        "?", ":low",
        "[bracket]", "`tick`", "1=1", "' OR 1=1 --", "\" OR 1=1 --", "\"\u{301}", "x\"\u{301} OR 1=1 --",
        "keeper",
    ]

    private func quoted(_ name: String) -> String {
        var sql = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { sql.unicodeScalars.append(scalar) }
            sql.unicodeScalars.append(scalar)
        }
        return sql + "\""
    }

    @Test("a table and a column may have any name that SQLite accepts", arguments: oddNames)
    func anyName(name: String) throws {
        let (table, column) = (quoted(name), quoted(name + " at"))
        let app = try TemporaryStore(
            """
            CREATE TABLE \(table) (id INTEGER PRIMARY KEY, \(column) INTEGER, \(quoted(name)) TEXT DEFAULT 'x');
            CREATE TABLE bystander (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO \(table) (id, \(column)) VALUES (1, \(old)), (2, \(cutoff)), (3, \(fresh)), (4, NULL);
            INSERT INTO bystander VALUES (1, \(old));
            """)
        let report = app.outcome(.old(name, name + " at"))
        #expect(report.outcome == .done, "\(report.failure?.description ?? "")")
        #expect(report.deleted == 1)
        #expect(report.keptImplausible == 1)
        #expect(try app.integers("SELECT id FROM \(table) ORDER BY 1") == [2, 3, 4])
        #expect(try app.integers("SELECT count(*) FROM bystander") == [1])
    }

    @Test("names are compared as SQLite does: case of ASCII letters aside")
    func caseDiffers() throws {
        let app = try TemporaryStore(
            "CREATE TABLE Articles (Id INTEGER PRIMARY KEY, CreatedAt INTEGER); INSERT INTO Articles VALUES (1, \(old));"
        )
        #expect(app.outcome(.old("ARTICLES", "createdat")).deleted == 1)
    }

    @Test("a column that differs from the rule's in the case of a letter beyond ASCII is another column")
    func caseBeyondASCII() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, "ä" INTEGER, "Ä" INTEGER);
            INSERT INTO t VALUES (1, \(old), \(fresh)), (2, \(fresh), \(old));
            """)
        #expect(app.outcome(.old("t", "Ä")).deleted == 1)
        #expect(try app.integers("SELECT id FROM t") == [1])
        #expect(app.outcome(.old("t", "A\u{308}")).failure?.kind == .fault(.schema))
    }

    @Test("names that only look the same are those of two tables, and of two columns they are refused")
    func lookAlike() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE "Ä" (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO "Ä" VALUES (1, \(old)), (2, \(fresh));
            CREATE TABLE "A\u{308}" (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO "A\u{308}" SELECT * FROM "Ä";
            CREATE TABLE t (id INTEGER PRIMARY KEY, "Ä" INTEGER, "A\u{308}" INTEGER);
            INSERT INTO t VALUES (1, \(old), \(fresh)), (2, \(fresh), \(fresh));
            """)
        #expect(app.outcome(.old("A\u{308}")).deleted == 1)
        #expect(
            try app.integers("SELECT count(*) FROM \"Ä\" UNION ALL SELECT count(*) FROM \"A\u{308}\"") == [
                2, 1,
            ])
        let failure = app.outcome(.old("t", "Ä")).failure
        #expect(failure?.cause == "t has two columns whose names look the same")
        #expect(try app.integers("SELECT count(*) FROM t") == [2])
    }

    @Test(
        "a column that is not there is an error, not a string",
        arguments: ["created_at", "", "'2020'", "id at"])
    func missingColumn(name: String) throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, 1);")
        let report = app.outcome(.old("t", name))
        #expect(report.outcome == .failed)
        #expect(report.failure?.kind == .fault(.schema))
        #expect(report.failure?.cause == "table t has no column \"\(name)\"")
        #expect(report.failure?.hint == "its columns are id, at")
    }

    @Test("a table that is not there is an error that names those that are")
    func missingTable() throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, at); CREATE TABLE u (a);")
        let report = app.outcome(.old("tt"))
        #expect(report.failure?.kind == .fault(.schema))
        #expect(report.failure?.cause == "there is no table \"tt\"")
        #expect(report.failure?.hint == "did you mean t?")
    }

    @Test(
        "what is not an ordinary table is refused",
        arguments: [("v", "view"), ("f", "virtual"), ("f_data", "virtual"), ("three", "rowid")])
    func notATable(name: String, word: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE VIEW v AS SELECT * FROM t;
            CREATE TRIGGER vd INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE id = OLD.id; END;
            CREATE VIRTUAL TABLE f USING fts5(at);
            CREATE TABLE three (rowid, _rowid_, oid, at);
            INSERT INTO t VALUES (1, \(old));
            """)
        let failure = try #require(app.outcome(.old(name)).failure)
        #expect(failure.kind == .fault(.schema))
        #expect(failure.cause.contains(word))
        #expect(try app.integers("SELECT count(*) FROM t") == [1])
    }

    @Test(
        "a column named like the rowid does not hide the row's identity",
        arguments: ["rowid", "oid", "_rowid_"])
    func rowID(name: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (\(name) TEXT, at INTEGER);
            INSERT INTO t VALUES ('same', \(old)), ('same', \(fresh)), ('same', \(old)), (NULL, \(old)), (NULL, \(fresh));
            """)
        #expect(app.outcome().deleted == 3)
        #expect(try app.integers("SELECT count(*) FROM t WHERE at = \(fresh)") == [2])
    }
}
