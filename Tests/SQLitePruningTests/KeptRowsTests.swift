import Foundation
import Pruning
import Retention
import SQLitePruning
import Synchronization
import TestSupport
import Testing

/// How the rows are found that a keeper keeps, of those whose key is text.
struct KeptRowsTests {
    @Test(
        "a keeper's table and column may have any name that SQLite accepts, and keep their rows",
        arguments: ["t point", "T Point", "t keeper"], ["digits", "id"])
    func anyName(table: String, column: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX t_day ON t (at / 86400, id, at);
            CREATE TABLE "\(table)" ("\(column)" INTEGER PRIMARY KEY) STRICT;
            INSERT INTO t VALUES ('1506', \(old - 90_000)), ('1507', \(old - 90_000)), ('1508', \(old));
            INSERT INTO "\(table)" VALUES (1507), (1508), (1509);
            """)
        let report = app.outcome(.old(keptBy: ColumnReference(table: table, column: column)))
        #expect(report.outcome == .done, "\(report.failure?.description ?? "")")
        #expect(report.expired == 1)
        #expect(try app.texts("SELECT id FROM t") == ["1507", "1508"])
    }

    @Test(
        "each row is asked about once, whatever the app's statistics say",
        arguments: ["at / 86400", "at / 86400, at"], ["", ", WITHOUT ROWID"])
    func misleadingStatistics(index: String, options: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT\(options);
            CREATE INDEX t_day ON t (\(index));
            CREATE TABLE child (t_id INTEGER PRIMARY KEY, at INTEGER) STRICT;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39999)
            INSERT INTO t SELECT 200000 + i, \(old) - i % 40 * 86400 FROM n;
            INSERT INTO child VALUES (200000, 0), (239999, 0);
            ANALYZE;
            """)
        let beats = Mutex(0)
        let control = RunControl {
            beats.withLock { $0 += 1 }
            return .zero
        }
        let view = try app.store.openView(control)
        defer { view.close() }
        let rule = RetentionRule.old(keptBy: ColumnReference(table: "child", column: "t_id"))
        #expect(try view.census(of: PruneTask(rule, start: runStart, in: .gmt)).expired == 39_998)
        // One is 5,000 steps of SQLite's machine, of which a row takes some tens.
        #expect(beats.withLock { $0 } < 600)
    }

    @Test(
        "each of many slices keeps what its keeper keeps, wherever its keys begin and end",
        arguments: [0, 1_990, 3_999])
    func slices(firstKept: Int) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX t_day ON t (at / 86400, id, at);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY) STRICT;
            CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999) SELECT i FROM n;
            INSERT INTO t SELECT 100000 + i, \(old) - i % 40 * 86400 FROM n;
            INSERT INTO t SELECT iif(i % 20, '0', ' ') || (100000 + i), \(old) - i % 40 * 86400 FROM n WHERE i % 10 = 0;
            INSERT INTO t SELECT (100000 + i) || 'e0', \(old) FROM n WHERE i % 100 = 7;
            INSERT INTO t SELECT (100000 + i) || '-4A', \(old) FROM n WHERE i % 100 = 7;
            INSERT INTO child SELECT 100000 + i FROM n WHERE i >= \(firstKept) AND (i % 7 = 0 OR i = 3999);
            """)
        let kept = try app.texts(
            "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM child WHERE t_id = id) ORDER BY id")
        let report = app.outcome(
            .old(keptBy: ColumnReference(table: "child", column: "t_id")), accessPath: .walk)
        #expect(report.batches > 3)
        #expect(report.deleted == 4_480 - Int64(kept.count))
        #expect(try app.texts("SELECT id FROM t ORDER BY id") == kept)
    }

    @Test("the first and the last row of a slice are kept as all others", arguments: ["", "0"], [0, 31, 32])
    func sliceEnds(prefix: String, kept: Int) throws {
        // A first slice is of 32 rows.
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX t_day ON t (at / 86400, id, at);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY) STRICT;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            INSERT INTO t SELECT '\(prefix)' || (100000 + i), \(old) FROM n;
            INSERT INTO child VALUES (\(100_000 + kept));
            """)
        let report = app.outcome(
            .old(keptBy: ColumnReference(table: "child", column: "t_id")), accessPath: .walk)
        #expect(report.batches > 1)
        #expect(try app.texts("SELECT id FROM t") == ["\(prefix)\(100_000 + kept)"])
    }

    @Test(
        "rows are kept where the key's order is not that of its column",
        arguments: [("RTRIM", "1885", "1885 "), ("NOCASE", "2_", "2E3")], ["BINARY", ""])
    func collation(column: (name: String, last: String, kept: String), key: String) throws {
        // The first slice ends with the row after 31 others, which the column's collation takes for no less than the kept one.
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL COLLATE \(column.name), at INTEGER NOT NULL, \
            PRIMARY KEY (id\(key.isEmpty ? "" : " COLLATE " + key))) STRICT, WITHOUT ROWID;
            CREATE TABLE child (t_id INTEGER PRIMARY KEY) STRICT;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            INSERT INTO t SELECT 1000 + i, \(old) FROM n;
            INSERT OR IGNORE INTO t VALUES ('\(column.kept)', \(old)), ('x', \(old));
            INSERT OR IGNORE INTO t VALUES ('\(column.last)', \(fresh));
            INSERT INTO child VALUES (1885), (1990), (2000);
            """)
        _ = app.outcome(.old(keptBy: ColumnReference(table: "child", column: "t_id")), accessPath: .walk)
        #expect(
            try app.integers("SELECT count(*) FROM t NOT INDEXED WHERE id = '\(column.kept)' AND at = \(old)")
                == [1])
    }

    @Test(
        "a damaged entry of an index does not hide those behind it from their keeper",
        arguments: [
            ("id TEXT NOT NULL PRIMARY KEY, at INTEGER", "", "sqlite_autoindex_t_1"),
            ("id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL", "STRICT", "t_day"),
            ("id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL", "STRICT, WITHOUT ROWID", "t_day"),
        ])
    func damagedIndex(columns: String, options: String, index: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (\(columns)) \(options);
            \(index == "t_day" ? "CREATE INDEX t_day ON t (at / 86400, id, at);" : "")
            CREATE TABLE child (t_id INTEGER PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1500 UNION ALL SELECT i + 1 FROM n WHERE i < 1515)
            INSERT INTO t SELECT i, iif(i < 1510, \(cutoff), \(old)) FROM n;
            INSERT INTO child VALUES (1500), (1513);
            """)
        let root = try #require(
            try app.integers("SELECT rootpage FROM sqlite_schema WHERE name = '\(index)'").first)
        let pageSize = try #require(try app.integers("PRAGMA page_size").first)
        var bytes = try Data(contentsOf: URL(filePath: app.path))
        let page = Int((root - 1) * pageSize)..<Int(root * pageSize)
        // One bit makes it another digit.
        let entry = try #require(bytes.range(of: Data("1500".utf8), in: page))
        bytes.replaceSubrange(entry, with: Data("9500".utf8))
        try bytes.write(to: URL(filePath: app.path))
        #expect(try app.texts("PRAGMA integrity_check").first != "ok")
        let report = app.outcome(.old(keptBy: ColumnReference(table: "child", column: "t_id")))
        #expect(report.deleted == 5)
        #expect(try app.texts("SELECT id FROM t NOT INDEXED WHERE at = \(old)") == ["1513"])
    }
}
