import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// The expressions of a rule: what may be written, and what is said of anything else.
struct ExpressionTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, read INTEGER, note TEXT, day DATE);
        CREATE TABLE tag (item INTEGER PRIMARY KEY, name STRING);
        CREATE TABLE label (item INTEGER PRIMARY KEY, kind INTEGER);
        CREATE TABLE rank (item INTEGER PRIMARY KEY, place INTEGER);
        CREATE TABLE crowd (item INTEGER, kind INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
        INSERT INTO crowd SELECT i, i FROM n;
        CREATE VIEW seen AS SELECT id FROM t WHERE read = 1;
        CREATE VIRTUAL TABLE words USING fts5 (note);
        INSERT INTO t (id, at, read, note) VALUES (1, \(old), 1, 'x'), (2, \(old), 0, 'x'), (3, \(old), NULL, 'x'), (4, \(fresh), 1, 'x');
        """

    private func rule(_ condition: String?, protect: [String] = []) -> RetentionRule {
        var rule = RetentionRule.old()
        (rule.condition, rule.protect) = (condition, protect)
        return rule
    }

    @Test(
        "only rows of which where is true go",
        arguments: [
            ("read = 1", [2, 3, 4]), ("read", [2, 3, 4]), ("NOT read", [1, 3, 4]),
            ("read IS NULL", [1, 2, 4]),
            ("coalesce(t.read, 0)", [2, 3, 4]), ("((read)) AND id BETWEEN 0 AND 9", [2, 3, 4]),
            ("CASE WHEN read THEN 1 ELSE 0 END", [2, 3, 4]), ("read - 1", [1, 3, 4]),
            ("-read AND NOT (length(note) > 99)", [2, 3, 4]),
            ("(SELECT count(*) + t.read FROM label)", [2, 3, 4]),
            ("read = 1 -- and no more", [2, 3, 4]),
            ("note = 'read = 0'", [1, 2, 3, 4]),
            ("id IN (SELECT item FROM label WHERE kind = t.read)", [1, 2, 3, 4]),
            ("read > (SELECT count(*) FROM label WHERE item = t.id)", [2, 3, 4]),
            (
                "read = 1 AND NOT EXISTS (SELECT * FROM label l WHERE l.item = t.id AND l.kind IS TRUE)",
                [2, 3, 4]
            ),
            ("date(t.at, 'unixepoch') > '2000-01-01' AND read = 1", [2, 3, 4]),
            ("date(coalesce(at, id) / 1, 'unixepoch', '-1 day') > '2000' AND abs(read) = 1", [2, 3, 4]),
        ] as [(String, [Int64])])
    func condition(text: String, left: [Int64]) throws {
        let app = try TemporaryStore(Self.schema)
        #expect(app.outcome(rule(text)).outcome == .done)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == left)
    }

    @Test("a row of which protect is true or NULL stays")
    func protection() throws {
        let app = try TemporaryStore(Self.schema)
        #expect(app.outcome(rule(nil, protect: ["read = 0", "note = 'y'"])).deleted == 1)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [2, 3, 4])
    }

    @Test(
        "what cannot be a condition on a row fails the rule before the first row, and says why",
        arguments: [
            ("raed = 1", "no such column: raed, at character 1", "did you mean \"read\"?"),
            ("\"raed\" = 1", "no such column", "did you mean \"read\"?"),
            ("id > 0 AND t.reed", "no such column: t.reed, at character 12", "did you mean \"read\"?"),
            ("read = 1) OR (1", "syntax error", "the columns of t are"),
            ("read = 1; DELETE FROM t", "syntax error", "the columns of t are"),
            ("read = 1 ORDER BY id", "syntax error", "the columns of t are"),
            ("read = 1 /* open", "incomplete input", "the columns of t are"),
            ("read = ?1", "it has a parameter", "the columns of t are"),
            ("read = :latest", "it has a parameter", "the columns of t are"),
            ("1", "is no condition on a row", "the columns of t are"),
            ("'read'", "is no condition on a row", "the columns of t are"),
            ("EXISTS (SELECT 1 FROM label)", "is no condition on a row", "the columns of t are"),
            ("count(read) > 0", "misuse of aggregate", "the columns of t are"),
            ("read > random()", "calls random()", "on their columns alone"),
            ("read > changes()", "calls changes()", "on their columns alone"),
            ("note < CURRENT_TIMESTAMP", "calls current_timestamp()", "on their columns alone"),
            ("note < datetime('now')", "'now'", "age_column and keep"),
            ("note < datetime( 'NOW ' )", "'NOW '", "age_column and keep"),
            ("note < date()", "calls date() without a time", "age_column and keep"),
            ("at < strftime('%s')", "calls strftime() without a time", "age_column and keep"),
            ("note < datetime(at, 'localtime')", "'localtime'", "age_column and keep"),
            ("note", "no condition: note,", "note <> ''"),
            ("read = 1 AND (NOT t.note)", "no condition: t.note,", "t.note <> ''"),
            ("id OR coalesce(note, 0)", "no condition: note,", "note <> ''"),
            ("CASE id WHEN 'a' THEN 1 ELSE note END", "no condition: note,", "note <> ''"),
            ("read || ''", "no condition: read || '',", "compared with"),
            ("lower(note)", "no condition: lower(note),", "compared with"),
            ("iif(note, 1, 0)", "no condition: note,", "note <> ''"),
            ("(SELECT name FROM tag WHERE tag.item = t.id)", "no condition: name,", "compared with"),
            (
                "EXISTS (SELECT 1 FROM tag WHERE tag.item = t.id AND name)", "no condition: name,",
                "name <> ''"
            ),
            ("day", "no condition: day,", "IS NOT NULL"),
            ("note < date('no' || 'w')", "has ||", "whole texts"),
            ("note < date(lower('NO' || 'W'))", "beside a date function", "whole texts"),
            ("at < unixepoch(char(110, 111, 119))", "calls char()", "whole texts"),
            ("note < datetime(at, trim(' localtime '))", "calls trim()", "whole texts"),
            ("note < date(x'6e6f77')", "has a blob", "whole texts"),
            ("note < \"date\"()", "without a time", "age_column and keep"),
            (
                "note < (SELECT date(w) FROM (SELECT replace('no.', '.', 'w') AS w FROM label))",
                "calls replace()", "whole texts"
            ),
            ("id IN (SELECT id FROM seen)", "it reads a view", "the columns of t are"),
            ("id IN (SELECT rowid FROM words)", "not an ordinary table", "ordinary table"),
            ("note IN (SELECT name FROM sqlite_schema)", "not an ordinary table", "ordinary table"),
            ("id IN (SELECT max(id) FROM t)", "reads t itself in a subquery", "keep_last"),
            ("EXISTS (SELECT 1 FROM t AS other WHERE other.id > t.id)", "reads t itself", "keep_last"),
            ("EXISTS (SELECT 1 FROM label WHERE kind = read)", "names read in a subquery", "write t.read"),
            (
                "read = 2 OR EXISTS (SELECT 1 FROM label AS l WHERE l.item = t.id AND read = 1)",
                "names read in a subquery", "write t.read"
            ),
            (
                "EXISTS (SELECT item AS note FROM label WHERE item = t.id AND t.note = 'x' AND note > 0)",
                "names note in a subquery", "may get a column note"
            ),
            (
                "EXISTS (SELECT 1 FROM label l JOIN rank r ON r.item = l.item WHERE l.item = t.id AND place = 1)",
                "names place in a subquery", "write its table"
            ),
            (
                "EXISTS (SELECT l.item FROM label l WHERE (SELECT at FROM crowd AS c LIMIT 1) = t.id)",
                "names at in a subquery", "write t.at"
            ),
            ("id IN (SELECT item FROM label NATURAL JOIN crowd)", "all columns", "ON or USING"),
            (
                "id IN (WITH RECURSIVE n(i) AS (VALUES (1) UNION SELECT i + 1 FROM n) SELECT i FROM n)",
                "recursive", "the columns of t are"
            ),
            ("EXISTS (SELECT 1 FROM crowd WHERE crowd.item = t.id)", "reads all of crowd", "create an index"),
            (
                "EXISTS (SELECT 1 FROM crowd AS c WHERE c.item = t.id)", "reads all of crowd",
                "create an index"
            ),
            ("read = 1\u{0}", "NUL", "the columns of t are"),
            ("missing(read)", "no such function: missing", "the columns of t are"),
        ])
    func refused(text: String, cause: String, hint: String) throws {
        let app = try TemporaryStore(Self.schema)
        for rule in [rule(text), rule(nil, protect: ["read = 0", text])] {
            let report = app.outcome(rule)
            let failure = try #require(report.failure, "\(text): not refused")
            #expect(failure.cause.contains(cause), "\(failure.cause)")
            #expect(failure.cause.contains(rule.condition == nil ? "protect = " : "where = "))
            #expect(failure.hint?.contains(hint) ?? false, "\(failure)")
        }
        #expect(try app.integers("SELECT count(*) FROM t") == [4])
    }

    @Test("a table that changes its columns during a run, and is read in a subquery, ends the run")
    func changedTable() throws {
        let app = try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, read INTEGER);
            CREATE TABLE label (item INTEGER PRIMARY KEY, kind INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, \(old), 1 FROM n;
            """)
        let task = PruneTask(
            rule("NOT EXISTS (SELECT 1 FROM label l WHERE l.item = t.id)"), start: runStart, in: .gmt)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(task, accessPath: nil)
        #expect(try worker.deleteBatch(rows: 100).deleted > 0)
        try app.execute("ALTER TABLE label ADD COLUMN read INTEGER")
        #expect(throws: StoreError.self) { _ = try worker.deleteBatch(rows: 100) }
    }
}
