import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

struct DamagedIndexTests {
    /// A row whose entry in the index on time was changed to look expired; the row itself is fresh.
    private func store(_ table: String) throws -> TemporaryStore {
        let app = try TemporaryStore(
            """
            \(table); CREATE INDEX t_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, 1795000000 + i FROM n;
            INSERT INTO t VALUES (9001, 1600000000), (9002, 1600000002);
            """)
        var bytes = try Data(contentsOf: URL(filePath: app.path))
        let root = try #require(
            try app.integers("SELECT rootpage FROM sqlite_schema WHERE name = 't_at'").first)
        let pageSize = try #require(try app.integers("PRAGMA page_size").first)
        let fresh = Data(withUnsafeBytes(of: Int32(1_795_000_001).bigEndian, Array.init))
        let old = Data(withUnsafeBytes(of: Int32(1_600_000_003).bigEndian, Array.init))
        // The entry is the one of the index's pages, which come after its root.
        let start = Int(root - 1) * Int(pageSize)
        let entry = try #require(bytes.range(of: fresh, in: start..<bytes.count))
        bytes.replaceSubrange(entry, with: old)
        try bytes.write(to: URL(filePath: app.path))
        return app
    }

    @Test(
        "a damaged index does not make a row go that has not expired",
        arguments: [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER)",
            "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        ])
    func damagedIndex(table: String) throws {
        let app = try store(table)
        #expect(try app.texts("PRAGMA integrity_check").first != "ok")
        let report = app.outcome()
        #expect(report.accessPath == .index)
        #expect(try app.integers("SELECT id FROM t NOT INDEXED WHERE id IN (1, 9001, 9002)") == [1])
    }

    @Test(
        "a damaged index that leads to a row by an entry of another's does not hide the row from its keeper")
    func wrongEntry() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX t_at ON t (at);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO t SELECT 100 + i, 1600000000 + i FROM n;
            INSERT INTO t VALUES (8, 1600000000), (7, 1600001000);
            INSERT INTO child VALUES (7);
            """)
        var bytes = try Data(contentsOf: URL(filePath: app.path))
        let time = Data(withUnsafeBytes(of: Int32(1_600_000_000).bigEndian, Array.init))
        let entry = try #require(bytes.range(of: time + [8]))
        bytes.replaceSubrange(entry, with: time + [7])
        try bytes.write(to: URL(filePath: app.path))
        #expect(try app.texts("PRAGMA integrity_check").first != "ok")
        let report = app.outcome(
            .old(keptBy: ColumnReference(table: "child", column: "t_id")), accessPath: .index)
        #expect(report.accessPath == .index)
        #expect(try app.integers("SELECT id FROM t NOT INDEXED WHERE id = 7") == [7])
    }

    /// Rows 1 to 60, all expired, of which `child` keeps all; the index on it was made as `wrong`, and is taken for one on the
    /// column.
    private func keptStore(_ child: String, _ wrong: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX t_at ON t (at);
            CREATE TABLE child (\(child));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO t SELECT i, \(old) FROM n;
            INSERT INTO child (t_id) SELECT id FROM t;
            CREATE INDEX child_t ON child (\(wrong));
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX child_t ON child (t_id)' WHERE name = 'child_t';
            """)
    }

    @Test(
        "a row does not go because an index on its keeper lacks it: the rule ends, and says that the store is damaged",
        arguments: [
            "t_id) WHERE (t_id NOT BETWEEN 7 AND 9", "iif(t_id = 7, 8, t_id)", "iif(t_id = 7, NULL, t_id)",
            "-t_id", "iif(t_id = 60, 0, t_id)",
        ], ["id INTEGER PRIMARY KEY, t_id INTEGER", "t_id INTEGER, x, y DEFAULT 1"])
    func keeperIndex(wrong: String, child: String) throws {
        let app = try keptStore(child, wrong)
        let rule = RetentionRule.old(keptBy: ColumnReference(table: "child", column: "t_id"))
        for (isDry, accessPath) in [(true, nil), (false, .walk), (false, .index)] as [(Bool, AccessPath?)] {
            let report = app.outcome(rule, dryRun: isDry, accessPath: accessPath)
            #expect(report.outcome == .failed)
            #expect(report.failure?.kind == .fault(.damaged), "\(String(describing: report.failure))")
            #expect(report.failure?.cause.contains("child_t") == true)
        }
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [60])
    }

    @Test("an index on the keeper that is whole is no obstacle, whatever else it holds")
    func wholeKeeperIndex() throws {
        for index in ["t_id, x DESC", "t_id DESC", "t_id) WHERE (t_id IS NOT NULL"] {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
                CREATE TABLE child (t_id INTEGER, x); CREATE INDEX child_t ON child (\(index));
                INSERT INTO t VALUES (1, \(old)), (2, \(old)), (3, \(old));
                INSERT INTO child VALUES (1, 1), (NULL, 1), (1, NULL), (3, 1), (1, 1), ('x', 2), (NULL, 3);
                """)
            let report = app.outcome(.old(keptBy: ColumnReference(table: "child", column: "t_id")))
            #expect(report.outcome == .done, "\(String(describing: report.failure))")
            #expect(try app.integers("SELECT id FROM t") == [1, 3])
        }
    }

    @Test(
        "rows that belong to another do not go by a damaged index on their foreign key, and those that are referenced stay",
        arguments: [true, false])
    func foreignKeyIndex(cascades: Bool) throws {
        let app = try keptStore(
            "id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t\(cascades ? " ON DELETE CASCADE" : "")",
            cascades ? "iif(t_id = 60, 7, t_id)" : "t_id) WHERE (0")
        try app.execute("UPDATE t SET at = \(fresh) WHERE id > 30")
        let report = app.outcome(.old(dependents: cascades ? ["child"] : []))
        #expect(report.failure?.kind == .fault(.damaged), "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [60])
        #expect(try app.integers("SELECT count(*) FROM child NOT INDEXED") == [60])
    }

    @Test(
        "a protected row does not go because an index that its protection searches lacks a row",
        arguments: ["t_id, x) WHERE (t_id <> 7", "iif(t_id = 7, 8, t_id), x", "t_id, iif(t_id = 7, 2, x)"])
    func protectionIndex(wrong: String) throws {
        let app = try keptStore("id INTEGER PRIMARY KEY, t_id INTEGER, x DEFAULT 1", wrong)
        try app.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX child_t ON child (t_id, x)' WHERE name = 'child_t';
            """)
        var rule = RetentionRule.old()
        rule.protect = ["EXISTS (SELECT 1 FROM child WHERE child.t_id = t.id AND child.x = 1)"]
        for accessPath in [AccessPath.walk, .index] {
            let report = app.outcome(rule, accessPath: accessPath)
            #expect(report.failure?.kind == .fault(.damaged), "\(report)")
            #expect(report.failure?.cause.contains("child_t") == true)
        }
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [60])
    }

    @Test("a row does not go because the order of its keeper's table hides that", arguments: [true, false])
    func keeperOrder(isKeeper: Bool) throws {
        let app = try TemporaryStore(
            """
            PRAGMA page_size = 512;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY, x DEFAULT 'some text');
            WITH RECURSIVE n(i) AS (SELECT 2000 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
            INSERT INTO t SELECT i, \(old) FROM n;
            INSERT INTO child (t_id) SELECT id FROM t;
            """)
        var bytes = try Data(contentsOf: URL(filePath: app.path))
        let root = try #require(
            try app.integers("SELECT rootpage FROM sqlite_schema WHERE name = 'child'").first)
        // The first cell of the root says how far the first page goes: here further than it does.
        let page = Int(root - 1) * 512
        let cell = page + Int(bytes[page + 12]) << 8 + Int(bytes[page + 13])
        try #require(bytes[page] == 5 && bytes[cell + 4] == 0x8F)
        bytes[cell + 5] += 4
        try bytes.write(to: URL(filePath: app.path))
        var rule = RetentionRule.old(keptBy: isKeeper ? ColumnReference(table: "child", column: "t_id") : nil)
        if !isKeeper { rule.protect = ["t.id IN (SELECT child.t_id FROM child WHERE child.t_id = t.id)"] }
        let report = app.outcome(rule)
        #expect(report.failure?.kind == .fault(.damaged), "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [101])
    }

    /// Makes the index named `name` as `made`, and then lets the schema say `said` of it.
    private func lie(_ app: TemporaryStore, _ name: String, made: String, said: String) throws {
        try app.execute(
            """
            \(made);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = '\(said.replacing("'", with: "''"))' WHERE name = '\(name)';
            """)
        #expect(try app.texts("PRAGMA integrity_check").first != "ok")
    }

    private static let pinned = """
        CREATE TRIGGER pinned BEFORE DELETE ON t WHEN EXISTS (SELECT 1 FROM child WHERE t_id = OLD.id)
        BEGIN SELECT RAISE(ABORT, 'pinned'); END
        """
    private static let referring = """
        CREATE TABLE child (z TEXT, y TEXT, t_id INTEGER REFERENCES t (id), note TEXT);
        INSERT INTO child VALUES (NULL, 'y', 7, hex(zeroblob(300))), ('z', 'y', 8, hex(zeroblob(300)))
        """

    @Test(
        "no row goes because a trigger is led by an index of the rule's own table", arguments: [true, false])
    func ownTableOfTrigger(isDamaged: Bool) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER, note TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO t SELECT i, iif(i < 200, \(old), \(fresh)), 1, hex(zeroblob(100)) FROM n;
            CREATE TRIGGER last BEFORE DELETE ON t
            WHEN NOT EXISTS (SELECT 1 FROM t AS other WHERE other.feed = OLD.feed AND other.id <> OLD.id)
            BEGIN SELECT RAISE(ABORT, 'the last of its feed'); END;
            CREATE INDEX t_x ON t (feed);
            """)
        if isDamaged {
            try app.execute("DROP INDEX t_x")
            try lie(
                app, "t_x", made: "CREATE INDEX t_x ON t (feed) WHERE id = 0",
                said: "CREATE INDEX t_x ON t (feed)")
        }
        let report = app.outcome()
        #expect(report.failure?.kind == (isDamaged ? .fault(.damaged) : nil), "\(report)")
        #expect(report.deleted == (isDamaged ? 0 : 199))
    }

    /// A table that decides, or an index on it: how it is made, and what is said of it.
    struct Lie {
        var before = ""
        var rows = ""
        let name: String
        let made: String
        let said: String
        var isKeeper = false
        var protect: [String] = []
    }

    @Test(
        "no row goes because what its keepers, conditions, foreign keys and triggers search is in another order than is said",
        arguments: [
            Lie(
                rows: "INSERT INTO child SELECT id, 1, NULL FROM t WHERE id % 2", name: "child",
                made:
                    "CREATE TABLE child (t_id INT, k INT, Value TEXT, PRIMARY KEY (t_id DESC, k)) WITHOUT ROWID",
                said: "CREATE TABLE child (t_id INT, k INT, Value TEXT, PRIMARY KEY (t_id, k)) WITHOUT ROWID",
                isKeeper: true),
            Lie(
                before: """
                    CREATE UNIQUE INDEX pair ON t (at, id);
                    CREATE TABLE child (a INT, b INT, FOREIGN KEY (a, b) REFERENCES t (at, id));
                    INSERT INTO child SELECT at, id FROM t WHERE id % 2
                    """,
                name: "child_x", made: "CREATE INDEX child_x ON child (a, b DESC)",
                said: "CREATE INDEX child_x ON child (a, b)"),
            Lie(
                before: "CREATE UNIQUE INDEX pair ON t (at, id)",
                rows: "INSERT INTO child SELECT at, id, 1 FROM t WHERE id % 2", name: "child",
                made: """
                    CREATE TABLE child (a INT, b INT, n INT, PRIMARY KEY (a, b DESC, n),
                    FOREIGN KEY (a, b) REFERENCES t (at, id)) WITHOUT ROWID
                    """,
                said: """
                    CREATE TABLE child (a INT, b INT, n INT, PRIMARY KEY (a, b, n),
                    FOREIGN KEY (a, b) REFERENCES t (at, id)) WITHOUT ROWID
                    """),
            Lie(
                before: """
                    CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER NOT NULL, ended INTEGER);
                    INSERT INTO child (t_id) SELECT id FROM t WHERE id % 2
                    """,
                name: "child_x", made: "CREATE INDEX child_x ON child (ended, t_id DESC)",
                said: "CREATE INDEX child_x ON child (ended, t_id)",
                protect: ["EXISTS (SELECT 1 FROM child WHERE child.ended IS NULL AND child.t_id = t.id)"]),
            Lie(
                before: """
                    CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t (id), kind INTEGER, note TEXT);
                    INSERT INTO child VALUES (1, 7, 1, 'n'), (2, 8, 1, 'n')
                    """,
                name: "child_x", made: "CREATE INDEX child_x ON child (kind, t_id) WHERE t_id > 100",
                said: "CREATE INDEX child_x ON child (kind, t_id)"),
            Lie(
                before: """
                    CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER, note TEXT);
                    INSERT INTO child (t_id, note) SELECT id, 'n' FROM t WHERE id % 2;
                    CREATE TRIGGER pinned BEFORE DELETE ON t WHEN EXISTS (SELECT 1 FROM child WHERE t_id = OLD.id)
                    BEGIN SELECT RAISE(ABORT, 'pinned'); END
                    """,
                name: "child_x", made: "CREATE INDEX child_x ON child (t_id) WHERE id = 0",
                said: "CREATE INDEX child_x ON child (t_id)"),
            Lie(
                before: pinned,
                rows: "INSERT INTO child SELECT id, 1 FROM t WHERE id % 2", name: "child",
                made: "CREATE TABLE child (t_id INT, k INT, PRIMARY KEY (t_id DESC, k)) WITHOUT ROWID",
                said: "CREATE TABLE child (t_id INT, k INT, PRIMARY KEY (t_id, k)) WITHOUT ROWID"),
            Lie(
                before: referring, name: "child_x",
                made: "CREATE INDEX child_x ON child (lower(z), t_id) WHERE t_id > 100",
                said: "CREATE INDEX child_x ON child (lower(z), t_id)"),
            Lie(
                before: referring, name: "child_x",
                made: "CREATE INDEX child_x ON child (z, t_id, lower(y)) WHERE z NOT NULL",
                said: "CREATE INDEX child_x ON child (z, t_id, lower(y))"),
            Lie(
                before: referring + "; CREATE INDEX useless ON child (t_id) WHERE y = 'x'", name: "child_x",
                made: "CREATE INDEX child_x ON child (z, t_id) WHERE t_id > 100",
                said: "CREATE INDEX child_x ON child (z, t_id)"),
        ])
    func searchedOtherwise(lie: Lie) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO t SELECT i, \(old) FROM n; \(lie.before)
            """)
        try self.lie(app, lie.name, made: "\(lie.made); \(lie.rows)", said: lie.said)
        var rule = RetentionRule.old(
            keptBy: lie.isKeeper ? ColumnReference(table: "child", column: "t_id") : nil)
        rule.protect = lie.protect
        let report = app.outcome(rule)
        #expect(report.failure?.kind == .fault(.damaged), "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [300])
    }

    @Test("no row goes because a page of its keeper stands twice", arguments: ["WITHOUT ROWID", ""])
    func pageTwice(options: String) throws {
        let app = try TemporaryStore(
            """
            PRAGMA page_size = 512;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE child (t_id INTEGER NOT NULL PRIMARY KEY) \(options);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO t SELECT i, \(old) FROM n;
            INSERT INTO child SELECT id FROM t WHERE id % 2;
            """)
        var bytes = try Data(contentsOf: URL(filePath: app.path))
        let root = try #require(
            try app.integers("SELECT rootpage FROM sqlite_schema WHERE name = 'child'").first)
        let page = Int(root - 1) * 512
        try #require([2, 5].contains(bytes[page]))
        // The last child of the root is the first one, too.
        let cell = page + Int(bytes[page + 12]) << 8 + Int(bytes[page + 13])
        bytes.replaceSubrange(page + 8..<page + 12, with: bytes[cell..<cell + 4])
        try bytes.write(to: URL(filePath: app.path))
        let report = app.outcome(.old(keptBy: ColumnReference(table: "child", column: "t_id")))
        #expect(report.failure?.kind == .fault(.damaged), "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [400])
    }

    @Test(
        "the newest rows do not go because an index on time takes others for newer ones",
        arguments: [("at", nil), ("at", "feed"), ("feed, at", "feed"), ("at / 86400", nil)]
            as [(String, String?)],
        ["", "WITHOUT ROWID"])
    func newestByIndex(index: (columns: String, group: String?), options: String) throws {
        let (columns, group) = index
        for accessPath in [nil, AccessPath.walk, .index] {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, at INTEGER, feed INTEGER) \(options);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO t SELECT i, \(old) - 100000 * i, 1 FROM n;
                """)
            // Rows 21 to 40 are the oldest, and newer than all others by the index.
            let wrong = columns.replacing("at", with: "iif(id > 20, \(old) - 1, at)")
            try lie(
                app, "i", made: "CREATE INDEX i ON t (\(wrong))", said: "CREATE INDEX i ON t (\(columns))")
            var rule = RetentionRule.old()
            rule.keepLast = 10
            if let group { rule.keepLastPer = [group] }
            let report = app.outcome(rule, accessPath: accessPath)
            let left = try app.integers("SELECT id FROM t NOT INDEXED WHERE +id <= 10 ORDER BY +id")
            #expect(left == Array(1...10), "\(report)")
            if columns != "at" || group == nil {
                #expect(report.failure?.kind == .fault(.damaged), "\(report)")
            }
        }
    }

    @Test("without a log, the newest rows of groups do not go by a damaged index either")
    func newestInPieces() throws {
        let app = try TemporaryStore(
            """
            PRAGMA journal_mode = DELETE;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO t SELECT i, \(old) - i, i % 2 FROM n;
            """)
        try lie(
            app, "i", made: "CREATE INDEX i ON t (feed, iif(id > 20, at + 10000, at))",
            said: "CREATE INDEX i ON t (feed, at)")
        var rule = RetentionRule.old()
        (rule.keepLast, rule.keepLastPer) = (5, ["feed"])
        #expect(app.outcome(rule).failure?.kind == .fault(.damaged))
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED WHERE id <= 10") == [10])
    }

    @Test(
        "a row stays by what its table has of it, whatever an index on an expression or on some rows has",
        arguments: [
            ("t (lower(name))", "t (substr('x', 1, 1))", "lower(name) = 'x'"),
            ("t (name) WHERE starred = 0", "t (name) WHERE starred IN (0, 1)", "starred = 0"),
            ("t (starred)", "t (starred * 0)", "starred = 0"),
        ], ["id INTEGER PRIMARY KEY", "id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID"])
    func ownIndex(index: (said: String, made: String, condition: String), key: String) throws {
        let parts = key.split(separator: ")", omittingEmptySubsequences: false)
        for (accessPath, isWanted) in [
            (AccessPath.walk, true), (.walk, false), (.index, true), (.index, false),
        ] {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (\(parts[0]), at INTEGER, name TEXT, starred INTEGER) \(parts.dropFirst().joined());
                CREATE INDEX t_at ON t (at);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
                INSERT INTO t SELECT i, \(old), iif(i <= 25, 'Y', 'X'), i <= 25 FROM n;
                """)
            try lie(
                app, "i", made: "CREATE INDEX i ON \(index.made)", said: "CREATE INDEX i ON \(index.said)")
            var rule = RetentionRule.old()
            if isWanted {
                rule.condition = index.condition
            } else {
                rule.protect = ["NOT (\(index.condition))"]
            }
            _ = app.outcome(rule, accessPath: accessPath)
            let rows = "FROM (SELECT +starred AS kept FROM t NOT INDEXED WHERE +at = \(old))"
            #expect(try app.integers("SELECT count(*) \(rows) WHERE kept") == [25])
            #expect(try app.integers("SELECT count(*) \(rows) WHERE NOT kept") == [0])
        }
    }

    @Test(
        "a protected row does not go by an index that computes: the rule ends, unless no such index answers",
        arguments: [
            (
                "child (t_id) WHERE kind = 'star'", "child (t_id) WHERE kind = 'star' AND t_id > 25",
                "child.kind = 'star' AND child.t_id = t.id"
            ),
            (
                "child (lower(kind), t_id)", "child (upper(kind), t_id)",
                "lower(child.kind) = 'star' AND child.t_id = t.id"
            ),
        ])
    func computedIndex(said: String, made: String, condition: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE child (t_id INTEGER CHECK (t_id > 0), kind TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO t SELECT i, \(old) FROM n;
            INSERT INTO child SELECT id, 'star' FROM t;
            """)
        try app.execute("CREATE INDEX i ON \(said)")
        var rule = RetentionRule.old()
        rule.protect = ["EXISTS (SELECT 1 FROM child WHERE \(condition))"]
        let sound = app.outcome(rule)
        #expect(sound.outcome == .done && sound.deleted == 0, "\(sound)")
        try app.execute("DROP INDEX i; INSERT INTO t VALUES (99, \(old))")
        try lie(app, "i", made: "CREATE INDEX i ON \(made)", said: "CREATE INDEX i ON \(said)")
        let report = app.outcome(rule)
        #expect(report.failure?.kind == .fault(.damaged), "\(report)")
        #expect(report.failure?.cause == "index i does not match its table child")
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [51])
        // What the hint says.
        try app.execute("REINDEX i")
        #expect(app.outcome(rule).deleted == 1)
        #expect(try app.integers("SELECT count(*) FROM t NOT INDEXED") == [50])
    }
}
