import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Primary keys that are compared otherwise than their columns: what is one value of the column is two keys.
struct KeyCollationTests {
    static let collations = ["BINARY", "NOCASE", "RTRIM"]

    private func store(_ column: String, _ key: String) throws -> TemporaryStore {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL COLLATE \(column), at INTEGER NOT NULL, \
            PRIMARY KEY (id COLLATE \(key))) WITHOUT ROWID;
            """)
        for letter in "abcdefgh" {
            for (number, id) in ["\(letter)", "\(letter.uppercased())", "\(letter) ", "\(letter)  "]
                .enumerated()
            {
                let age = (letter.asciiValue.map(Int64.init) ?? 0) * 100 + Int64(number)
                try app.execute("INSERT OR IGNORE INTO t VALUES ('\(id)', \(old) - \(age))")
            }
        }
        return app
    }

    private func ids(_ app: TemporaryStore, _ rest: String = "") throws -> [String] {
        try app.texts("SELECT quote(id) FROM t \(rest)").sorted()
    }

    @Test(
        "every expired row goes, and the newest stay, wherever a batch begins and ends",
        arguments: collations, collations)
    func everyRow(column: String, key: String) throws {
        for index in ["", "CREATE INDEX t_at ON t (at)", "CREATE INDEX t_day ON t (at / 86400)"] {
            for accessPath in AccessPath.allCases {
                for (rows, keepLast) in [(1, nil), (2, 2), (3, 5), (5, 2)] as [(Int, Int64?)] {
                    let app = try store(column, key)
                    try app.execute(index)
                    let newest = try ids(app, "ORDER BY at DESC LIMIT \(keepLast ?? 0)")
                    try prune(app, keepLast: keepLast, rows: rows, accessPath: accessPath)
                    #expect(try ids(app) == newest)
                }
            }
        }
    }

    @Test(
        "rows that become the newest in mid-run stay, whatever is equal to those that are gone",
        arguments: collations, collations)
    func newest(column: String, key: String) throws {
        for accessPath in AccessPath.allCases {
            let app = try store(column, key)
            try app.execute("CREATE INDEX t_day ON t (at / 86400)")
            var before: [String] = []
            try prune(app, keepLast: 2, rows: 1, accessPath: accessPath) {
                // Of the two newest one goes, which may be equal to the other.
                try app.execute("DELETE FROM t WHERE at = (SELECT max(at) FROM t)")
                before = try ids(app, "ORDER BY at DESC LIMIT 2")
            }
            #expect(try ids(app) == before)
        }
    }

    @Test(
        "a key of a column twice, by two collations, tells all its rows apart", arguments: AccessPath.allCases
    )
    func twice(accessPath: AccessPath) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL, at INTEGER NOT NULL, \
            PRIMARY KEY (id COLLATE NOCASE, id COLLATE BINARY)) WITHOUT ROWID;
            CREATE INDEX t_at ON t (at);
            INSERT INTO t VALUES ('a', \(old)), ('A', \(old)), ('b', \(fresh)), ('B', \(old)), ('c', \(old)), ('C', \(fresh));
            """)
        try prune(app, keepLast: nil, rows: 1, accessPath: accessPath)
        #expect(try ids(app) == ["'C'", "'b'"])
    }

    @Test("what goes with rows by two ways is counted by its key", arguments: ["BINARY", "NOCASE"])
    func dependents(key: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE child (id TEXT NOT NULL COLLATE NOCASE, a INTEGER REFERENCES t ON DELETE CASCADE, \
            b INTEGER REFERENCES t ON DELETE CASCADE, PRIMARY KEY (id COLLATE \(key))) WITHOUT ROWID;
            INSERT INTO t VALUES (1, \(old)), (2, \(old));
            INSERT OR IGNORE INTO child VALUES ('x', 1, 2), ('X', 2, 1), ('y', 1, 1);
            """)
        let rule = RetentionRule.old(dependents: ["child"])
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let rows = try app.integers("SELECT count(*) FROM child")[0]
        #expect(try view.ages(of: PruneTask(rule, start: runStart, in: .gmt)).dependents == rows)
        #expect(app.outcome(rule).dependentsDeleted == rows)
    }

    /// Prunes in batches of `rows`; `app` writes after the first.
    private func prune(
        _ app: TemporaryStore, keepLast: Int64?, rows: Int, accessPath: AccessPath,
        _ write: () throws -> Void = {}
    ) throws {
        var rule = RetentionRule.old()
        rule.keepLast = keepLast
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(rule, start: runStart, in: .gmt), accessPath: accessPath)
        var isLast = try worker.deleteBatch(rows: rows).isLast
        try write()
        for _ in 0..<1_000 where !isLast {
            do throws(StoreError) {
                isLast = try worker.deleteBatch(rows: rows).isLast
            } catch {
                try #require(error.kind == .busy, "\(error)")
            }
        }
        #expect(isLast)
    }
}
