import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// Stores whose text is not UTF-8, and text that is no Unicode.
struct EncodingTests {
    private static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

    /// 1,000 rows with keys of text, every other one expired.
    private func store(_ encoding: String, _ options: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER)\(options);
            CREATE INDEX t_day ON t (at / 86400);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO t SELECT printf('é%05d', i), iif(i % 2, \(old), \(fresh)) FROM n;
            """)
    }

    @Test(
        "every batch goes on where the one before it ended, however the store keeps text",
        arguments: encodings, ["", " WITHOUT ROWID"])
    func batches(encoding: String, options: String) throws {
        for accessPath in [AccessPath.walk, .index] {
            let app = try store(encoding, options)
            #expect(try app.texts("PRAGMA encoding") == [encoding])
            let worker = try app.store.openWorker(freeControl())
            _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: accessPath)
            var sizes: [Int64] = []
            while sizes.count < 1_000 {
                let batch = try worker.deleteBatch(rows: 100)
                sizes.append(batch.deleted)
                if batch.isLast { break }
            }
            worker.close()
            #expect(
                sizes.reduce(0, +) == 500 && sizes.allSatisfy { $0 <= 100 } && sizes.count < 20, "\(sizes)")
            #expect(try app.integers("SELECT count(*) FROM t WHERE at = \(fresh)") == [500])
        }
    }

    @Test("a rule that archives what a store keeps as UTF-16 does not fit it", arguments: encodings)
    func archive(encoding: String) throws {
        let app = try store(encoding, "")
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        guard encoding != "UTF-8" else { return try view.validate(.archiving()) }
        let error = #expect(throws: StoreError.self) { try view.validate(.archiving()) }
        #expect(error?.kind == .schema && error?.hint?.contains("archive = true") == true)
        #expect(app.outcome(.archiving()).deleted == 0)
    }

    @Test("the newest rows stay, however the store keeps text", arguments: encodings)
    func keepLast(encoding: String) throws {
        let app = try store(encoding, " WITHOUT ROWID")
        try app.execute(
            "DELETE FROM t WHERE at = \(fresh); UPDATE t SET at = at - rank FROM (SELECT id AS other,"
                + " row_number() OVER (ORDER BY id) AS rank FROM t) WHERE id = other")
        var rule = RetentionRule.old()
        rule.keepLast = 40
        #expect(app.outcome(rule).deleted == 460)
        #expect(try app.integers("SELECT max(\(old) - at) FROM t") == [40])
    }

    @Test("a key that is no Unicode is passed like others", arguments: encodings)
    func brokenKeys(encoding: String) throws {
        let app = try store(encoding, " WITHOUT ROWID")
        // A byte that begins nothing in UTF-8; half of a pair in UTF-16.
        try app.execute(
            """
            INSERT INTO t SELECT CAST(CAST(id AS BLOB) || x'D8FF' || CAST(id AS BLOB) AS TEXT), at FROM t;
            INSERT INTO t VALUES ('', \(old)), (CAST(x'00D8' AS TEXT), \(old));
            """)
        let report = app.outcome(accessPath: .walk)
        #expect(report.outcome == .done, "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t WHERE at = \(old)") == [0])
        #expect(try app.integers("SELECT count(*) FROM t") == [1_000])
    }
}
