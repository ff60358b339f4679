import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// What tells the expired rows of a store from others that may come in their place.
struct RowHashesTests {
    /// A kind of table with 1,000 rows, every second of them expired.
    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let columns: String
        let options: String
        /// What stands in a row with this number, `i`.
        let row: String
        var encoding = "UTF-8"

        func store() throws -> TemporaryStore {
            try TemporaryStore(
                """
                PRAGMA encoding = '\(encoding)';
                PRAGMA journal_mode = WAL;
                CREATE TABLE t (\(columns))\(options);
                CREATE INDEX t_at ON t (at);
                WITH RECURSIVE n(i, at) AS (
                    SELECT 1, \(old) UNION ALL
                    SELECT i + 1, iif(i % 2, \(fresh), \(old) - i / 100) FROM n WHERE i < 1000)
                INSERT INTO t SELECT \(row) FROM n;
                """)
        }
    }

    private static let rowID = Kind(
        testDescription: "a key of integers", columns: "id INTEGER PRIMARY KEY, at INTEGER, x", options: "",
        row: "i, at, 'x' || i")
    private static let keyless = Kind(
        testDescription: "no key, and rows that are equal", columns: "at INTEGER, x REAL", options: "",
        row: "at, i / 10")
    private static let mayLackKey = Kind(
        testDescription: "a key that may be NULL", columns: "id TEXT PRIMARY KEY, at INTEGER, x", options: "",
        row: "iif(i % 3, i, NULL), at, 'x' || i")
    static let kinds = [
        rowID, keyless, mayLackKey,
        Kind(
            testDescription: "a table in the order of its texts", columns: "id TEXT PRIMARY KEY, at INTEGER",
            options: " STRICT, WITHOUT ROWID", row: "'é' || (i * 7919 % 1009), at"),
        Kind(
            testDescription: "a key of several columns",
            columns: "a TEXT NOT NULL, b BLOB NOT NULL, at INTEGER, PRIMARY KEY (b, a)", options: "",
            row: "i % 7, CAST(i AS BLOB), at"),
        Kind(
            testDescription: "text in UTF-16", columns: "id TEXT PRIMARY KEY NOT NULL, at INTEGER",
            options: "", row: "'é' || i, at", encoding: "UTF-16le"),
    ]

    private func task(_ rule: RetentionRule = .old()) -> PruneTask {
        PruneTask(rule, start: runStart, in: .gmt)
    }

    private func fingerprint(_ app: TemporaryStore, _ rule: RetentionRule = .old()) throws -> RowsFingerprint
    {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        return try view.fingerprint(of: task(rule))
    }

    /// Deletes batch by batch and says of each which rows it left.
    private func check(_ app: TemporaryStore, _ rule: RetentionRule, _ accessPath: AccessPath) throws {
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let begun = try worker.begin(task(rule), accessPath: accessPath, tellsRows: true)
        #expect(begun.accessPath == accessPath)
        var left = try #require(begun.rows)
        #expect(left.rows == begun.census.expired && left.rows > 0)
        #expect(try fingerprint(app, rule) == left)
        for _ in 0..<1_000 {
            let batch = try worker.deleteBatch(rows: 30)
            left = left - (batch.fingerprint ?? RowsFingerprint())
            #expect(batch.deleted == batch.fingerprint?.rows ?? 0)
            #expect(try fingerprint(app, rule) == left)
            guard !batch.isLast else { break }
        }
        #expect(left == RowsFingerprint())
    }

    @Test(
        "what all batches so far did not delete is what is there, to the last row",
        arguments: kinds, [AccessPath.walk, .index])
    func rest(kind: Kind, accessPath: AccessPath) throws {
        try check(try kind.store(), .old(), accessPath)
    }

    @Test("rows that the rule keeps are none of them", arguments: [AccessPath.walk, .index])
    func kept(accessPath: AccessPath) throws {
        let app = try Self.rowID.store()
        try app.execute(
            "CREATE TABLE k (id INTEGER PRIMARY KEY); INSERT INTO k SELECT id FROM t WHERE id % 5 = 0;")
        try check(app, .old(keptBy: ColumnReference(table: "k", column: "id")), accessPath)
        #expect(try app.integers("SELECT count(*) FROM t WHERE at < \(cutoff)") == [100])
        try app.execute("UPDATE t SET at = at - 1000000 - id")
        let last = RetentionRule(
            name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            keepLast: 300, holdLimits: .noneAtAll)
        try check(app, last, accessPath)
        #expect(try app.integers("SELECT count(*) FROM t") == [300])
    }

    @Test(
        "rows in the place of as many others are not the same",
        arguments: [
            (rowID, "DELETE FROM t WHERE id = 3; INSERT INTO t VALUES (3000, \(old), 'x3')"),
            (rowID, "UPDATE t SET at = at - 1 WHERE id = 3"),
            (keyless, "DELETE FROM t WHERE rowid = 3; INSERT INTO t VALUES (\(old), 77)"),
            (mayLackKey, "UPDATE t SET x = 'y' WHERE rowid = 3"),
            (mayLackKey, "UPDATE t SET id = '77777' WHERE rowid = 5"),
            (kinds[3], "UPDATE t SET id = id || ' ' WHERE at < \(cutoff)"),
            (kinds[4], "UPDATE t SET a = '9' WHERE rowid = 3"),
            (kinds[5], "UPDATE t SET id = id || '\u{10000}' WHERE rowid = 3"),
        ])
    func others(kind: Kind, change: String) throws {
        let app = try kind.store()
        let before = try fingerprint(app)
        try app.execute(change)
        let after = try fingerprint(app)
        #expect(before.rows == 500 && after.rows == 500 && before != after)
    }

    @Test("a text is another value than a blob of the same bytes")
    func blob() throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id BLOB PRIMARY KEY, at INTEGER); INSERT INTO t VALUES ('a', \(old));")
        let before = try fingerprint(app)
        try app.execute("UPDATE t SET id = CAST(id AS BLOB)")
        let after = try fingerprint(app)
        #expect(before.rows == 1 && after.rows == 1 && before != after)
    }

    @Test(
        "the same rows are the same after a VACUUM, and whatever else is in the table",
        arguments: kinds)
    func same(kind: Kind) throws {
        let app = try kind.store()
        let before = try fingerprint(app)
        try app.execute("DELETE FROM t WHERE at = \(fresh)")
        try app.execute("VACUUM")
        #expect(try fingerprint(app) == before)
    }

    @Test("nobody is told which rows went who has not asked")
    func unasked() throws {
        let app = try Self.rowID.store()
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        #expect(try worker.begin(task(), accessPath: nil, tellsRows: false).rows == nil)
        #expect(try worker.deleteBatch(rows: 1_000).fingerprint == nil)
    }
}
