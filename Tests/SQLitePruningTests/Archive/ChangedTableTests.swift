import Foundation
import Pruning
import TestSupport
import Testing

/// Rows come back into a table that the app has changed since they were archived.
struct ChangedTableTests {
    @Test(
        "rows come back into a table that got a key, or lost it, or got columns",
        arguments: [
            ("t (id, x, at INTEGER)", "t (id INTEGER PRIMARY KEY, x, at INTEGER)"),
            ("t (id, x, at INTEGER)", "t (id PRIMARY KEY, x, at INTEGER)"),
            ("t (id, x, at INTEGER)", "t (id PRIMARY KEY, x, at INTEGER) WITHOUT ROWID"),
            ("t (id, x, at INTEGER)", "t (nr INTEGER PRIMARY KEY, id, x, at INTEGER)"),
            ("t (id, x, at INTEGER)", "t (rowid, id, x, at INTEGER, more DEFAULT 7)"),
            ("t (id, x, at INTEGER)", "t (rowid, _ROWID_, id UNIQUE, x, at INTEGER)"),
            ("t (id, x, at INTEGER)", "t (rowid PRIMARY KEY, id, x, at INTEGER)"),
            ("t (id PRIMARY KEY, x, at INTEGER)", "t (id, x, at INTEGER)"),
            ("t (id PRIMARY KEY, x, at INTEGER) WITHOUT ROWID", "t (id, x, at INTEGER)"),
            ("t (id INTEGER PRIMARY KEY, x, at INTEGER)", "t (id, x PRIMARY KEY, rowid, at INTEGER)"),
            ("t (id PRIMARY KEY, x, at INTEGER)", "t (x, at INTEGER, y, id INTEGER PRIMARY KEY)"),
        ])
    func changed(before: String, after: String) throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE \(before);
            INSERT INTO t (id, x, at) VALUES (11, 'a', \(old)), (12, 'b', \(old)), (13, 'c', \(old));
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 3)
        try app.app.execute("DROP TABLE t; CREATE TABLE \(after)")
        try app.app.execute("INSERT INTO t (id, x, at) VALUES (1, 'new', 0), (12, 'new too', 0)")
        let hasKey =
            after.contains("id PRIMARY") || after.contains("id INTEGER PRIMARY") || after.contains("UNIQUE")
        let preview = try app.restore(dryRun: true)
        let restored = try app.restore()
        #expect(preview == restored)
        #expect(restored[0].restored == (hasKey && !after.contains("rowid PRIMARY") ? 2 : 3), "\(restored)")
        #expect(
            try app.app.texts("SELECT id || x FROM t WHERE at = \(old) ORDER BY 1")
                == (restored[0].restored == 2 ? ["11a", "13c"] : ["11a", "12b", "13c"]))
        if after.contains("rowid,") { #expect(try app.app.integers("SELECT count(rowid) FROM t") == [0]) }
    }

    @Test("a column that is called as a rowid is one, too, where it was a key and is none anymore")
    func columnLikeRowIDWithoutKey() throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (rowid TEXT NOT NULL PRIMARY KEY, at INTEGER);
            INSERT INTO t VALUES ('a', \(old));
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 1)
        try app.app.execute("DROP TABLE t; CREATE TABLE t (rowid TEXT, at INTEGER)")
        #expect(try app.restore().map(\.restored) == [1])
        #expect(try app.app.texts("SELECT coalesce(rowid, 'none') FROM t") == ["a"])
    }

    @Test("a column that is called as a rowid is one")
    func columnLikeRowID() throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (rowid TEXT PRIMARY KEY, at INTEGER);
            INSERT INTO t VALUES ('a', \(old)), (NULL, \(old));
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 2)
        #expect(try app.restore().map(\.restored) == [2])
        #expect(try app.app.texts("SELECT coalesce(rowid, 'none') FROM t ORDER BY 1") == ["a", "none"])
    }
}
