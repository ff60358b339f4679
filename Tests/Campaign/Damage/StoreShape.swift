/// Tables, and a rule on `t`.
struct StoreShape: Sendable {
    let name: String
    /// `t` has at least `id`, `at` and `x`; `other` is there besides.
    let tables: String
    /// What follows the insertion of all rows into `t` and `other`.
    var further = ""
    /// What the rule says besides its table.
    var rule = #"age_column = "at"; keep = "100d""#
    /// The tables whose rows are read, and the columns of them that say what a row is.
    var read = [("t", "id, at, x"), ("other", "id, v")]
    /// SQL that is true of a row of `t` that stays whatever its time.
    var staying = "0"
    /// SQL that is true of a row of `t` that other rows make stay.
    var staysByOthers = "0"
    /// What the rule does with an expired row; KEY is its key.
    var change = "DELETE FROM t WHERE id = KEY"
    /// Whether expired rows are taken out of `t`.
    var deletes: Bool { change.hasSuffix("DELETE FROM t WHERE id = KEY") }
    /// SQL that is true of a row of another table that goes with its row of `t`, by table.
    var going: [String: String] = [:]

    static let all: [StoreShape] = [
        StoreShape(
            name: "index on the time",
            tables:
                "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT); CREATE INDEX t_at ON t (at);"),
        StoreShape(
            name: "strict, key of text, no index",
            tables: "CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER NOT NULL, x TEXT) STRICT;"),
        StoreShape(
            name: "without rowid",
            tables: """
                CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER, x TEXT) WITHOUT ROWID;
                CREATE INDEX t_at ON t (at);
                """),
        StoreShape(
            name: "index by day",
            tables: """
                CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL, x TEXT) STRICT, WITHOUT ROWID;
                CREATE INDEX t_day ON t (at / 86400);
                """),
        StoreShape(
            name: "kept by an index",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT); CREATE INDEX t_at ON t (at);
                CREATE TABLE child (n INTEGER PRIMARY KEY, t_id INTEGER, y TEXT); CREATE INDEX child_t ON child (t_id);
                """,
            further: "INSERT INTO child SELECT n, id, x FROM numbered WHERE n % 3 = 0;",
            rule: #"age_column = "at"; keep = "100d"; kept_by = "child.t_id""#,
            read: [("t", "id, at, x"), ("other", "id, v"), ("child", "n, t_id, y")],
            staysByOthers: "EXISTS (SELECT 1 FROM child NOT INDEXED WHERE +t_id = t.id)"),
        StoreShape(
            name: "kept by a key",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT);
                CREATE TABLE child (t_id INTEGER PRIMARY KEY, y TEXT);
                """,
            further: "INSERT INTO child SELECT id, x FROM numbered WHERE n % 3 = 0;",
            rule: #"age_column = "at"; keep = "100d"; kept_by = "child.t_id""#,
            read: [("t", "id, at, x"), ("other", "id, v"), ("child", "t_id, y")],
            staysByOthers: "EXISTS (SELECT 1 FROM child NOT INDEXED WHERE +t_id = t.id)"),
        StoreShape(
            name: "cascade",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT); CREATE INDEX t_at ON t (at);
                CREATE TABLE child (
                    t_id INTEGER NOT NULL REFERENCES t ON DELETE CASCADE, n INTEGER, y TEXT, PRIMARY KEY (t_id, n)
                ) WITHOUT ROWID;
                """,
            further: """
                INSERT INTO child SELECT id, 1, x FROM numbered; INSERT INTO child SELECT id, 2, 'two' FROM numbered;
                """,
            rule: #"age_column = "at"; keep = "100d"; dependents = ["child"]"#,
            read: [("t", "id, at, x"), ("other", "id, v"), ("child", "t_id, n, y")],
            going: ["child": "t_id IN (SELECT id FROM t NOT INDEXED WHERE EXPIRED)"]),
        StoreShape(
            name: "newest of each group",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT, feed INTEGER);
                CREATE INDEX t_feed ON t (feed, at);
                """,
            further: "UPDATE t SET feed = id % 7;",
            rule: #"age_column = "at"; keep = "100d"; keep_last = 8; keep_last_per = "feed""#,
            read: [("t", "id, at, x, feed"), ("other", "id, v")],
            staysByOthers:
                "8 > (SELECT count(*) FROM t AS newer NOT INDEXED WHERE newer.feed IS t.feed AND newer.at > t.at)"
        ),
        StoreShape(
            name: "newest by an index that was made of other times",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT);
                CREATE INDEX t_at ON t (iif(id % 3 = 0, at + 3456000, at));
                """,
            further: """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE INDEX t_at ON t (at)' WHERE name = 't_at';
                PRAGMA writable_schema = OFF;
                """,
            rule: #"age_column = "at"; keep = "100d"; keep_last = 30"#,
            staysByOthers: "30 > (SELECT count(*) FROM t AS newer NOT INDEXED WHERE newer.at > t.at)"
        ),
        StoreShape(
            name: "conditions",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT, read INTEGER, starred INTEGER);
                CREATE TABLE label (item INTEGER, name TEXT, PRIMARY KEY (item, name));
                """,
            further: """
                UPDATE t SET read = id % 4 <> 0, starred = id % 5 = 0;
                INSERT INTO label SELECT id, 'label' FROM numbered WHERE n % 7 = 0;
                """,
            rule: """
                age_column = "at"; keep = "100d"; where = "read = 1"; \
                protect = ["starred = 1", "EXISTS (SELECT 1 FROM label WHERE item = t.id)"]
                """,
            read: [("t", "id, at, x, read, starred"), ("other", "id, v"), ("label", "item, name")],
            staying: "read IS NOT 1 OR starred IS NOT 0",
            staysByOthers: "EXISTS (SELECT 1 FROM label NOT INDEXED WHERE +item = t.id)"),
        StoreShape(
            name: "marks",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT, deleted INTEGER DEFAULT 0);
                CREATE INDEX t_at ON t (at); CREATE INDEX t_deleted ON t (deleted);
                """,
            rule: #"age_column = "at"; keep = "100d"; action = { set = { deleted = 1 } }"#,
            change: "UPDATE t SET deleted = 1 WHERE id = KEY"),
        StoreShape(
            name: "tombstones",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT);
                CREATE TABLE gone (hash TEXT PRIMARY KEY);
                """,
            further: "INSERT INTO gone SELECT 'old ' || n FROM numbered WHERE n < 20;",
            rule:
                #"age_column = "at"; keep = "100d"; tombstone = { table = "gone", columns = { hash = "x" } }"#,
            read: [("t", "id, at, x"), ("other", "id, v"), ("gone", "hash")],
            change: """
                INSERT INTO gone SELECT x FROM t WHERE id = KEY ON CONFLICT DO NOTHING; DELETE FROM t WHERE id = KEY
                """),
        StoreShape(
            name: "full text, and large values",
            tables: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT); CREATE INDEX t_x ON t (x);
                CREATE VIRTUAL TABLE words USING fts5 (w);
                """,
            further: """
                UPDATE t SET x = x || hex(zeroblob(1500)) WHERE id % 9 = 0;
                INSERT INTO words SELECT x FROM numbered WHERE n < 30;
                """,
            read: [("t", "id, at, x"), ("other", "id, v"), ("words_content", "id, c0")]),
    ]
}
