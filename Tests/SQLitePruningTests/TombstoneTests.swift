import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// `tombstone`: what the app must remember of a deleted row is written with the deletion.
struct TombstoneTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER, hash TEXT);
        CREATE TABLE gone (feed INTEGER, hash TEXT CHECK (hash <> 'bad'), note TEXT, PRIMARY KEY (feed, hash));
        INSERT INTO t VALUES (1, \(old), 1, 'a'), (2, \(old), 1, ''), (3, \(old), 2, 'a'), (4, \(fresh), 3, 'd'),
            (5, \(old), 1, 'a');
        INSERT INTO gone (feed, hash) VALUES (2, 'a');
        """

    private func rule(
        _ table: String = "gone", _ columns: [String: String] = ["feed": "feed", "hash": "hash"],
        condition: String? = "hash <> ''"
    ) -> RetentionRule {
        var rule = RetentionRule.old()
        rule.tombstone = Tombstone(
            table: table, columns: columns.map { .init($0.key, from: $0.value) }, condition: condition)
        return rule
    }

    private func tombstones(_ app: TemporaryStore) throws -> [String] {
        try app.texts("SELECT feed || hash FROM gone ORDER BY 1")
    }

    @Test("a tombstone that a CHECK refuses fails its batch, and its row stays")
    func check() throws {
        let app = try TemporaryStore(Self.schema + "UPDATE t SET hash = 'bad' WHERE id = 3;")
        let report = app.outcome(rule())
        #expect(report.outcome == .failed && report.failure?.cause.contains("CHECK") ?? false)
        #expect(try app.integers("SELECT count(*) FROM t WHERE hash = 'bad'") == [1])
        // Rows of batches before that one may be gone, each with its tombstone.
        let left = try app.integers("SELECT count(*) FROM t WHERE feed = 1 AND hash = 'a'")
        #expect(try tombstones(app) == (left == [2] ? ["2a"] : ["1a", "2a"]))
    }

    @Test(
        "a tombstone is there if one has its very key, whatever else it says: one that only compares equal is another's",
        arguments: ["a", "A"])
    func sameKey(present: String) throws {
        let app = try TemporaryStore(
            Self.schema + """
                CREATE TABLE keyed (hash TEXT, feed INTEGER);
                CREATE UNIQUE INDEX keyed_hash ON keyed (hash COLLATE NOCASE);
                CREATE UNIQUE INDEX keyed_both ON keyed (hash COLLATE NOCASE, feed);
                INSERT INTO keyed VALUES ('\(present)', 77);
                """)
        let report = app.outcome(rule("keyed", ["hash": "hash", "feed": "feed"]))
        #expect(try app.texts("SELECT hash || feed FROM keyed") == ["\(present)77"])
        if present == "a" {
            #expect(report.deleted == 4)
            #expect(try app.integers("SELECT id FROM t") == [4])
        } else {
            #expect(report.failure?.cause.contains("is not in keyed") ?? false, "\(report)")
            #expect(try app.integers("SELECT count(*) FROM t WHERE hash = 'a'") == [3])
        }
    }

    @Test(
        "a tombstone takes the place of no other one, whatever the schema says of conflicts",
        arguments: [
            (
                "hash TEXT PRIMARY KEY, kind INTEGER DEFAULT 1 UNIQUE ON CONFLICT REPLACE", "('old', 1)",
                "UNIQUE"
            ),
            ("hash TEXT PRIMARY KEY ON CONFLICT REPLACE, kind INTEGER", "('a', 7)", nil),
            (
                "hash TEXT PRIMARY KEY, kind INTEGER, UNIQUE (hash COLLATE NOCASE) ON CONFLICT REPLACE",
                "('A', 7)",
                "stones"
            ),
            (
                "hash TEXT COLLATE NOCASE PRIMARY KEY, kind INTEGER, UNIQUE (hash COLLATE BINARY) ON CONFLICT REPLACE",
                "('A', 7)", "stones"
            ),
        ] as [(String, String, String?)])
    func replacing(columns: String, present: String, refusal: String?) throws {
        let app = try TemporaryStore(
            Self.schema + "CREATE TABLE stones (\(columns)); INSERT INTO stones VALUES \(present);")
        let report = app.outcome(rule("stones", ["hash": "hash"]))
        #expect(
            try app.integers(
                "SELECT count(*) FROM stones, (VALUES \(present)) AS v ON v.column1 = hash COLLATE BINARY"
                    + " AND v.column2 = kind") == [1], "\(report)")
        if let refusal {
            #expect(report.outcome == .failed)
            #expect(report.failure?.cause.contains(refusal) ?? false, "\(report)")
            #expect(try app.integers("SELECT count(*) FROM t WHERE hash = 'a'") == [3])
        } else {
            #expect(report.deleted == 4, "\(report)")
        }
    }

    @Test("a tombstone that only an index has is not there: its row stays")
    func damagedIndex() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, hash TEXT);
            CREATE TABLE gone (hash TEXT, note);
            INSERT INTO t VALUES (1, \(old), 'a');
            INSERT INTO gone VALUES ('x', 1);
            CREATE UNIQUE INDEX gone_hash ON gone (replace(hash, 'x', 'a'));
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX gone_hash ON gone (hash)' WHERE name = 'gone_hash';
            """)
        let report = app.outcome(rule("gone", ["hash": "hash"]))
        #expect(report.outcome == .failed, "\(report)")
        #expect(try app.integers("SELECT id FROM t") == [1])
    }

    @Test(
        "a row that a trigger leaves gets no tombstone: the rule is refused, and where the trigger may fire, its batch fails",
        arguments: [
            "BEFORE DELETE ON t BEGIN SELECT CASE old.id WHEN 3 THEN raise ( ignore ) END; END",
            "BEFORE DELETE ON t WHEN old.id = 3 BEGIN SELECT 1; SELECT RAISE(IGNORE); END",
        ], [true, false])
    func leavingTrigger(trigger: String, leavesTombstones: Bool) throws {
        let app = try TemporaryStore(Self.schema + "CREATE TRIGGER spares \(trigger);")
        let rule = leavesTombstones ? rule() : RetentionRule.old()
        for isDry in [true, false] {
            let report = app.outcome(rule, dryRun: isDry)
            #expect(
                report.failure?.cause.contains("trigger spares may leave rows of t") ?? false, "\(report)")
        }
        let schema = try app.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").joined(
            separator: ";\n")
        let report = app.outcome(rule, behind: StoreGate(schema + ";", triggers: ["spares"]))
        #expect(report.failure?.cause.contains("trigger spares left it") ?? false, "\(report)")
        #expect(try app.integers("SELECT id FROM t WHERE id = 3") == [3])
        #expect(try tombstones(app).contains("2a"))
        var sparing = rule
        sparing.protect = ["t.id = 3"]
        #expect(app.outcome(sparing, behind: StoreGate(schema + ";", triggers: ["spares"])).outcome == .done)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [3, 4])
    }

    @Test(
        "a tombstone that cannot stand beside another one, or that is not there, fails the run, and its row stays",
        arguments: [
            ("CREATE UNIQUE INDEX other ON gone (abs(feed))", "UNIQUE"),
            (
                "CREATE TRIGGER skips BEFORE INSERT ON gone BEGIN SELECT RAISE (IGNORE); END",
                "is not in gone"
            ),
        ])
    func missing(obstacle: String, cause: String) throws {
        let app = try TemporaryStore(Self.schema + obstacle)
        try app.execute("UPDATE t SET hash = 'b' WHERE id = 5")
        let report = app.outcome(rule())
        #expect(report.outcome == .failed && report.failure?.cause.contains(cause) ?? false)
        #expect(report.failure?.hint?.contains("sqlite.org") == false)
        #expect(try app.integers("SELECT id FROM t WHERE id = 5") == [5])
    }

    @Test(
        "tombstones that do not fit their table fail the rule before the first row",
        arguments: [
            ("noisy", ["hash": "hash"], "trigger shout"),
            ("twice", ["hash": "hash", "feed": "feed"], "another unique index of twice, on feed,"),
        ])
    func unfit(table: String, columns: [String: String], cause: String) throws {
        let app = try TemporaryStore(
            Self.schema + """
                CREATE TABLE twice (hash TEXT PRIMARY KEY, feed INTEGER);
                CREATE UNIQUE INDEX twice_feed ON twice (feed) WHERE feed > 0;
                CREATE TABLE noisy (hash TEXT PRIMARY KEY);
                CREATE TRIGGER shout AFTER INSERT ON noisy BEGIN INSERT INTO gone (feed, hash) VALUES (9, new.hash); END;
                """)
        let report = app.outcome(rule(table, columns))
        #expect(report.failure?.cause.contains(cause) ?? false, "\(String(describing: report.failure))")
        #expect(try app.integers("SELECT count(*) FROM t") == [5])
    }
}
