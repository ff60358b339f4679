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
        #expect(report.plan == .index)
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
            .old(keptBy: ColumnReference(table: "child", column: "t_id")), plan: .index)
        #expect(report.plan == .index)
        #expect(try app.integers("SELECT id FROM t NOT INDEXED WHERE id = 7") == [7])
    }
}
