import Foundation
import Pruning
import Testing

/// Rows come back as they were, and are known again, whatever their table is like.
struct RestoredRowTests {
    @Test(
        "every value comes back bit for bit, and every row is known again, in tables of all kinds",
        arguments: [
            // SQLite 3.40.1 returns all numbers of a row as real ones where the first column is of that type.
            "t (r REAL PRIMARY KEY, x, at INTEGER)",
            "t (r REAL, x, at INTEGER, PRIMARY KEY (r, x)) WITHOUT ROWID",
            "t (r REAL, x ANY, at INTEGER) STRICT",
            // And whole numbers of such a type as integers, where another column is the first.
            "t (x PRIMARY KEY, r REAL, at INTEGER)",
            "t (x, r REAL PRIMARY KEY, at INTEGER)",
            "t (x, at INTEGER, r REAL, PRIMARY KEY (r, x)) WITHOUT ROWID",
            "t (x, at INTEGER, r REAL)",
            "t (x COLLATE NOCASE PRIMARY KEY, r NUMERIC, at INTEGER, g AS (typeof(x) || quote(x)) UNIQUE)",
            "t (id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE ON CONFLICT REPLACE, r FLOAT, at INTEGER)",
            "t (x, r DOUBLE, at INTEGER, CHECK (at > 0), UNIQUE (x, r))",
        ])
    func exactly(table: String) throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE \(table);
            INSERT INTO t (x, r, at) VALUES (9007199254740993, 1.0, \(old)), (2, 2.0, \(old)), (2.5, 3.0, \(old)),
                ('2', 4.5, \(old)), (x'32', 9e999, \(old)), ('', -3.0, \(old)), (x'', 1e300, \(old)),
                (CAST(x'66ff00fe' AS TEXT), -0.0, \(old)), (-9223372036854775808, 9007199254740993, \(old));
            """)
        let exact =
            "SELECT typeof(x) || quote(x) || hex(CAST(x AS BLOB)) || typeof(r) || quote(r) || at FROM t ORDER BY 1"
        let before = try app.app.texts(exact)
        #expect(app.prune(.archiving()).rules[0].deleted == 9)
        let preview = try app.restore(dryRun: true)
        let restored = try app.restore()
        #expect(restored == preview)
        #expect(restored.map(\.restored) == [9] && restored[0].skipped == [:])
        #expect(try app.app.texts(exact) == before)
        let next = app.prune(.archiving())
        #expect(next.rules[0].outcome == .done && next.rules[0].expired == 0)
    }

    @Test(
        "rows with as many columns as SQLite allows are archived, deleted and put back",
        arguments: [("", 2_000), (", UNIQUE (c1, COLUMNS)", 1_999), (", PRIMARY KEY (COLUMNS)", 2_000)])
    func mostColumns(key: String, count: Int) throws {
        let columns = (1..<count).map { "c\($0)" }
        let key = key.replacing("COLUMNS", with: columns.dropFirst().joined(separator: ", "))
        let values = [0, 1].map { row in columns.indices.map { "\($0 + row)" }.joined(separator: ", ") }
        let app = try ArchivedStore(
            """
            CREATE TABLE t (\(columns.joined(separator: ", ")), at INTEGER\(key));
            INSERT INTO t VALUES (\(values[0]), \(old)), (\(values[1]), \(old));
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 2)
        let preview = try #require(app.restore(dryRun: true).first)
        let restored = try #require(app.restore().first)
        #expect(preview == restored && restored.restored == 2, "\(restored)")
        #expect(try app.app.integers("SELECT sum(c1 + c1998) FROM t") == [2 * 1_997 + 2])
        #expect(app.prune(.archiving()).rules[0].expired == 0)
    }

    @Test("rows of a table with more columns than a function takes arguments are known again")
    func manyColumns() throws {
        let columns = (0..<140).map { "c\($0)" }
        let app = try ArchivedStore(
            """
            CREATE TABLE t (\(columns.joined(separator: ", ")), at INTEGER);
            INSERT INTO t (c0, at) VALUES (1, \(old)), (2, \(old));
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 2)
        #expect(try app.restore().map(\.restored) == [2])
        let next = app.prune(.archiving())
        #expect(next.rules[0].outcome == .done && next.rules[0].expired == 0)
    }

    @Test(
        "a dry run tells which rows are in conflict with others, as the restore finds them",
        arguments: [
            ("t (id INTEGER PRIMARY KEY, x, y, at INTEGER)", "(1, 90, 90), (2, 90, 90)", 2),
            ("t (id PRIMARY KEY, x UNIQUE, y, at INTEGER)", "(1, 90, 90), (90, 2, 90), (91, 1, 90)", 2),
            (
                "t (id PRIMARY KEY, x, y, at INTEGER, UNIQUE (x, y))",
                "(90, 1, 1), (91, 2, 1), (92, NULL, 4)", 1
            ),
            ("t (id PRIMARY KEY, x COLLATE NOCASE UNIQUE, y, at INTEGER)", "(90, 'THREE', 90)", 1),
            (
                "t (id, x, y, at INTEGER); CREATE UNIQUE INDEX t_x ON t (x COLLATE NOCASE)",
                "(90, 'Three', 90)", 1
            ),
            ("t (id, x, y, at INTEGER); CREATE UNIQUE INDEX t_x ON t (x) WHERE y > 50", "(90, 1, 90)", 0),
            ("t (id PRIMARY KEY, x UNIQUE, y, at INTEGER) WITHOUT ROWID", "(1, 2, 90), (90, 'three', 90)", 3),
            ("t (id, x, y, at INTEGER)", "(1, 1, 1), (90, 90, 90)", 0),
            // What counts is by what the index compares, and not the column.
            ("t (id, x COLLATE NOCASE, y, at INTEGER, PRIMARY KEY (x COLLATE BINARY))", "(9, 'THREE', 9)", 0),
            ("t (id, x, y, at INTEGER, PRIMARY KEY (x COLLATE NOCASE))", "(9, 'THREE', 9)", 1),
            (
                "t (id, x COLLATE NOCASE, y, at INTEGER, PRIMARY KEY (y, x COLLATE BINARY)) WITHOUT ROWID",
                "(9, 'THREE', 3), (9, 'four', 9)", 0
            ),
            ("t (id PRIMARY KEY, x, y, at INTEGER) WITHOUT ROWID", "('1', 9, 9), (2.0, 9, 9)", 1),
            ("t (id, x UNIQUE, y, at INTEGER)", "(9, '1', 9), (9, 2, 9)", 1),
        ])
    func preview(table: String, others: String, conflicts: Int64) throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE \(table);
            INSERT INTO t (id, x, y, at) VALUES (1, 1, 1, \(old)), (2, 2, 2, \(old)), (3, 'three', 3, \(old));
            INSERT OR IGNORE INTO t (id, x, y, at) VALUES (4, NULL, 4, \(old));
            """)
        let deleted = app.prune(.archiving()).rules[0].deleted
        #expect(deleted >= 3)
        try app.app.execute("INSERT INTO t (id, x, y) VALUES \(others)")
        let preview = try #require(app.restore(dryRun: true).first)
        let restored = try #require(app.restore().first)
        #expect(preview == restored)
        #expect(restored.restored == deleted - conflicts)
        #expect(restored.skipped[.exists, default: 0] == conflicts)
    }

    @Test(
        "a row of a table without a key, whose rowid another has, comes back beside one that differs in case alone"
    )
    func collation() throws {
        let app = try ArchivedStore(
            "CREATE TABLE t (x COLLATE NOCASE, at INTEGER); INSERT INTO t VALUES ('a', \(old)), ('b', \(old));"
        )
        #expect(app.prune(.archiving()).rules[0].deleted == 2)
        try app.app.execute("INSERT INTO t VALUES ('A', \(old)), ('b', \(old))")
        let preview = try #require(app.restore(dryRun: true).first)
        let restored = try #require(app.restore().first)
        #expect(preview == restored)
        #expect(restored.restored == 2 && restored.skipped == [:])
        #expect(try app.app.texts("SELECT x FROM t WHERE rowid < 3 ORDER BY rowid") == ["A", "b"])
        #expect(try app.app.texts("SELECT x FROM t ORDER BY x COLLATE BINARY") == ["A", "a", "b", "b"])
    }

    @Test("of two rows that are the same, in a table without a key, both come back")
    func twins() throws {
        let app = try ArchivedStore(
            "CREATE TABLE t (x, at INTEGER); INSERT INTO t VALUES ('a', \(old)), ('a', \(old)), ('b', \(old));"
        )
        #expect(app.prune(.archiving()).rules[0].deleted == 3)
        try app.app.execute("INSERT INTO t (rowid, x, at) VALUES (90, 'a', \(old))")
        let preview = try #require(app.restore(dryRun: true).first)
        let restored = try #require(app.restore().first)
        #expect(preview == restored)
        #expect(restored.restored == 3 && restored.skipped == [:])
        #expect(try app.app.integers("SELECT rowid FROM t ORDER BY rowid") == [1, 2, 3, 90])
    }
}
