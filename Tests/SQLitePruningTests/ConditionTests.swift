import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// The conditions of a rule on a store: what they judge, and what is said of those that do not fit it.
struct ConditionTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, read INTEGER, note TEXT, day DATE);
        CREATE TABLE tag (item INTEGER PRIMARY KEY, name STRING);
        CREATE TABLE label (item INTEGER PRIMARY KEY, kind INTEGER);
        CREATE TABLE rank (item INTEGER PRIMARY KEY, place INTEGER);
        CREATE TABLE odd (item INTEGER, kind INTEGER); INSERT INTO odd VALUES (1, 1), ('x', 1);
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
            ("read = 1", [2, 3, 4]), ("read <> 0", [2, 3, 4]), ("NOT read = 1", [1, 3, 4]),
            ("read IS NULL", [1, 2, 4]), ("coalesce(t.read, 0) = 1", [2, 3, 4]),
            ("((read = 1)) AND id BETWEEN 0 AND 9", [2, 3, 4]), ("read = 1 -- and no more", [2, 3, 4]),
            ("note = 'read = 0'", [1, 2, 3, 4]),
            ("note LIKE 'x%' AND length(note) = 1 AND read = 0", [1, 3, 4]),
            ("id IN (SELECT l.item FROM label l WHERE l.kind = t.read)", [1, 2, 3, 4]),
            (
                "read = 1 AND NOT EXISTS (SELECT 1 FROM label l WHERE l.item = t.id AND l.kind <> 0)",
                [2, 3, 4]
            ),
            ("abs(read) = 1", [2, 3, 4]), ("day IS NULL AND read = 1", [2, 3, 4]), ("rowid = 1", [2, 3, 4]),
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

    @Test("a row whose value is of another kind than its column stays")
    func misfits() throws {
        let app = try TemporaryStore(Self.schema)
        try app.execute("UPDATE t SET read = 'yes' WHERE id = 1; UPDATE t SET read = x'31' WHERE id = 2")
        #expect(app.outcome(rule(nil, protect: ["read > 1"])).deleted == 0)
        #expect(app.outcome(rule("read <> 0")).deleted == 0)
    }

    @Test(
        "what a subquery cannot tell for a value of another kind makes the row stay, or fails the rule",
        arguments: [
            ("b BOOLEAN", "2", "EXISTS (SELECT 1 FROM other WHERE other.item = t.id AND other.b)"),
            ("b BOOLEAN", "'t'", "EXISTS (SELECT 1 FROM other WHERE other.item = t.id AND other.b)"),
            ("b", "'1'", "EXISTS (SELECT 1 FROM other WHERE other.b = t.id)"),
            (
                "b JSON", "'{\"pin\": 1}'",
                "EXISTS (SELECT 1 FROM other WHERE other.item = t.id AND other.b->>'pin' = TRUE)"
            ),
            ("b TEXT", "'1'", "EXISTS (SELECT 1 FROM other WHERE other.item = t.id AND t.flag)"),
            ("b TEXT", "'1'", "t.id IN (SELECT other.item FROM other WHERE t.flag)"),
            ("b TEXT, c", "'1', x'31'", "EXISTS (SELECT 1 FROM other WHERE other.c = t.key)"),
            ("b TEXT, c", "'1', x'31'", "t.key IN (SELECT other.c FROM other)"),
            ("b TEXT, c BLOB", "'1', x'31'", "EXISTS (SELECT 1 FROM other WHERE t.key = other.c)"),
        ])
    func hiddenByExists(column: String, value: String, text: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, flag BOOLEAN, key);
            INSERT INTO t VALUES (1, \(old), 't', x'31');
            CREATE TABLE other (item INTEGER PRIMARY KEY, \(column)); INSERT INTO other VALUES (1, \(value));
            """)
        for rule in [rule(nil, protect: [text]), rule("NOT (\(text))")] {
            let report = app.outcome(rule)
            #expect(report.deleted == 0, "\(report)")
            #expect(report.outcome == (column.hasPrefix("b TEXT") ? .done : .failed), "\(report)")
        }
        #expect(try app.integers("SELECT id FROM t") == [1])
    }

    @Test(
        "what SQLite's functions do not see, or a column takes for equal, is not known",
        arguments: [
            ("'ab' || char(0) || 'cd'", "a LIKE 'ab'"), ("'ab' || char(0) || 'cd'", "length(a) = 2"),
            ("'ab' || char(0) || 'cd'", "substr(a, 1, 5) = 'ab'"), ("'KEEP'", "nullif(a, 'keep') = 'KEEP'"),
            ("'KEEP'", "nullif(a, 'keep') IS NOT NULL"), ("'{\"gr\\u00f6n\": 1}'", "j->>'grön' IS NULL"),
        ])
    func unknown(value: String, text: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, a TEXT COLLATE NOCASE, j JSON);
            INSERT INTO t VALUES (1, \(old), \(value), \(value));
            """)
        for rule in [
            rule(text), rule("NOT (\(text))"), rule(nil, protect: [text]),
            rule(nil, protect: ["NOT (\(text))"]),
        ] {
            #expect(app.outcome(rule).deleted == 0, "\(rule)")
        }
    }

    @Test(
        "what cannot be a condition on a row fails the rule before the first row, and says why",
        arguments: [
            ("raed = 1", "names raed, which is no column of t, at character 1", "did you mean \"read\"?"),
            ("read = 1; DELETE FROM t", "has ; where", "one expression"),
            ("read", "has read where a truth value is expected", "read <> 0"),
            ("note", "has note where a truth value is expected", "note = 'yes'"),
            ("day = 5 AND 'x' = id", "compares the text 'x' with id (integers, INTEGER)", "pruned.toml(5)"),
            ("note < datetime('now')", "calls datetime()", "age_column and keep"),
            ("id IN (SELECT id FROM seen)", "reads seen, which is not an ordinary table", "ordinary table"),
            (
                "id IN (SELECT rowid FROM words)", "reads words, which is not an ordinary table",
                "ordinary table"
            ),
            ("note IN (SELECT name FROM sqlite_schema)", "reads sqlite_schema", "ordinary table"),
            (
                "EXISTS (SELECT 1 FROM lable l WHERE l.item = t.id)", "there is no such table",
                "did you mean label?"
            ),
            ("id IN (SELECT o.id FROM t o)", "reads t, of which rule old deletes rows", "what is kept"),
            ("EXISTS (SELECT 1 FROM label WHERE kind = read)", "names read in a subquery", "write t.read"),
            ("EXISTS (SELECT 1 FROM crowd WHERE crowd.item = t.id)", "reads all of crowd", "create an index"),
            (
                "EXISTS (SELECT 1 FROM crowd AS c WHERE c.item = t.id)", "reads all of crowd",
                "create an index"
            ),
            (
                "EXISTS (SELECT 1 FROM odd o WHERE o.item = t.id)",
                "reads odd.item, which has a value of another kind (text)", "correct"
            ),
            ("read = 1\u{0}", "has a character", "pruned.toml(5)"),
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

    @Test("in a database of UTF-16, texts are compared by = alone, for their order is another")
    func wideTexts() throws {
        let app = try TemporaryStore("PRAGMA encoding = 'UTF-16';" + Self.schema)
        #expect(
            app.outcome(rule("note < 'y'")).failure?.cause.contains("which of two texts comes first") == true)
        try app.execute("ALTER TABLE t ADD COLUMN rank; UPDATE t SET rank = id")
        #expect(
            app.outcome(rule("rank < note")).failure?.cause.contains("which of two texts comes first") == true
        )
        #expect(app.outcome(rule("rank < 9 AND note = 'x' AND read = 1")).deleted == 1)
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
