import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// `kept_by` where the key and the keeper's column are not compared alike.
struct KeeperCollationTests {
    static let collations = ["BINARY", "NOCASE", "RTRIM"]
    private static let values = ["a", "A", "a ", "A ", "b", "C", "c ", "d"]
    private let rule = RetentionRule.old(keptBy: ColumnReference(table: "child", column: "t_id"))

    @Test(
        "a row stays that the app finds in its keeper, whichever of the two it asks first",
        arguments: collations, collations)
    func bothWays(key: String, keeper: String) throws {
        for options in ["", "WITHOUT ROWID"] {
            for accessPath in AccessPath.allCases {
                for value in Self.values {
                    let app = try TemporaryStore(
                        """
                        CREATE TABLE t (id TEXT COLLATE \(key), at INTEGER, PRIMARY KEY (id COLLATE BINARY)) \(options);
                        CREATE INDEX t_at ON t (at);
                        CREATE TABLE child (t_id TEXT COLLATE \(keeper));
                        \(Self.collations.map { "CREATE INDEX child_\($0) ON child (t_id COLLATE \($0));" }.joined())
                        INSERT INTO t VALUES \(Self.values.map { "('\($0)', \(old))" }.joined(separator: ", "));
                        INSERT INTO child VALUES ('\(value)');
                        """)
                    let found = """
                        SELECT quote(id) FROM t WHERE id IN (SELECT t_id FROM child)
                        OR EXISTS (SELECT 1 FROM child WHERE t_id = id) ORDER BY id COLLATE BINARY
                        """
                    let kept = try app.texts(found)
                    let report = app.outcome(rule, accessPath: accessPath)
                    #expect(report.outcome == .done, "\(String(describing: report.failure))")
                    #expect(report.expired == Int64(Self.values.count - kept.count))
                    #expect(try app.texts("SELECT quote(id) FROM t ORDER BY id COLLATE BINARY") == kept)
                }
            }
        }
    }

    @Test("where no index of a large keeper serves the key's collation, the rule says which one it needs")
    func unindexed() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT PRIMARY KEY COLLATE NOCASE, at INTEGER);
            CREATE TABLE child (t_id TEXT PRIMARY KEY);
            INSERT INTO t VALUES ('a', \(old)); INSERT INTO child VALUES ('A');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO child SELECT i FROM n;
            """)
        let report = app.outcome(rule)
        #expect(report.outcome == .failed)
        #expect(report.failure?.kind == .fault(.schema))
        #expect(report.failure?.cause.contains("t.id is compared by NOCASE") == true, "\(report)")
        let index = "CREATE INDEX \"child_t_id\" ON \"child\" (\"t_id\" COLLATE \"NOCASE\");"
        #expect(report.failure?.hint == "create this index once in its database: " + index)
        try app.execute(index)
        #expect(app.outcome(rule).outcome == .done)
        #expect(try app.texts("SELECT id FROM t") == ["a"])
    }

    @Test(
        "a row stays that the app finds in its keeper, whatever the types of the two",
        arguments: ["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", ""],
        ["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", ""])
    func affinities(key: String, keeper: String) throws {
        let values = ["7", "'7'", "'07'", "7.0", "'7.0'", "7.5", "'x'", "x'37'"]
        for value in values {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id \(key) NOT NULL, at INTEGER, n INTEGER, PRIMARY KEY (id)) WITHOUT ROWID;
                CREATE TABLE child (t_id \(keeper));
                CREATE INDEX child_t ON child (t_id);
                INSERT OR IGNORE INTO t VALUES \(values.map { "(\($0), \(old), 0)" }.joined(separator: ", "));
                INSERT INTO child VALUES (\(value));
                """)
            let kept = try app.texts(
                """
                SELECT quote(id) FROM t WHERE id IN (SELECT t_id FROM child)
                OR EXISTS (SELECT 1 FROM child WHERE t_id = id) ORDER BY id
                """)
            let report = app.outcome(rule)
            #expect(report.outcome == .done, "\(String(describing: report.failure))")
            #expect(try app.texts("SELECT quote(id) FROM t ORDER BY id") == kept)
        }
    }
}
