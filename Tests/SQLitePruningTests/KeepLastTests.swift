import Foundation
import GRDB
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

@testable import SQLitePruning

/// `keep_last`: the newest rows of a table stay, however old they are.
struct KeepLastTests {
    enum Index: String, CaseIterable {
        case none = ""
        case exact = "CREATE INDEX i ON t (at);"
        case byDay = "CREATE INDEX i ON t (at / 86400);"
    }

    /// Rows 1 to `rows`, all expired: the row 1 is the newest, two rows at a time have the same time.
    private func store(_ index: Index, rows: Int = 100) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            \(index.rawValue)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i, \(old) - 20000 * ((i + 1) / 2) FROM n;
            """)
    }

    private func rule(_ keepLast: Int64) -> RetentionRule {
        var rule = RetentionRule.old()
        rule.keepLast = keepLast
        return rule
    }

    private func ids(_ app: TemporaryStore) throws -> [Int64] {
        try app.integers("SELECT id FROM t ORDER BY id")
    }

    @Test(
        "a row whose time is none is not one of the newest", arguments: Index.allCases, AccessPath.allCases)
    func implausibleRows(index: Index, accessPath: AccessPath) throws {
        let app = try store(index)
        try app.execute(
            "INSERT INTO t (at) VALUES (NULL), ('text'), (\(fresh).5), (\(fresh)000), (x'00'), (9e18), (-1)")
        let report = app.outcome(rule(3), accessPath: accessPath)
        #expect(report.deleted == 96)
        #expect(report.keptImplausible == 7)
        #expect(try ids(app) == Array(1...4) + Array(101...107))
    }

    @Test(
        "rows that become the newest in mid-run, because the app deletes newer ones, stay",
        arguments: Index.allCases, AccessPath.allCases)
    func deletedBetween(index: Index, accessPath: AccessPath) throws {
        let app = try store(index)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let (census, _) = try worker.begin(
            PruneTask(rule(10), start: runStart, in: .gmt), accessPath: accessPath)
        #expect(census.expired == 90)
        _ = try worker.deleteBatch(rows: 10)
        try app.execute("DELETE FROM t WHERE id <= 4; UPDATE t SET at = at - 90000000 WHERE id <= 6;")
        let newest = try app.integers("SELECT id FROM t ORDER BY at DESC LIMIT 10")
        try finish(worker)
        let left = try ids(app)
        #expect(Set(newest).isSubset(of: left))
        #expect(left.count == 12, "the newest, and the two that were the newest and are so no more")
    }

    @Test(
        "rows that become the newest just before a batch has the lock stay",
        arguments: Index.allCases, AccessPath.allCases)
    func deletedInside(index: Index, accessPath: AccessPath) throws {
        let app = try store(index)
        let connection = try Connection(.write, path: app.path, control: freeControl())
        defer { connection.close() }
        do {
            let db = connection.database
            let deletion = try db.inSnapshot {
                try Deletion(
                    task: PruneTask(rule(10), start: runStart, in: .gmt), accessPath: accessPath,
                    path: app.path, in: db)
            }
            let slice = try #require(try deletion.nextSlice(rows: 100, in: db))
            try app.execute("DELETE FROM t WHERE id <= 10;")
            try db.execute("BEGIN IMMEDIATE")
            let deleted = Result { try deletion.delete(slice, version: db.dataVersion(), in: db) }
            try db.execute((try? deleted.get()) == nil ? "ROLLBACK" : "COMMIT")
            // Without an index that finds them at once, the batch is left for another try.
            if index == .exact {
                _ = try deleted.get()
                #expect(try ids(app) == Array(11...20))
            } else {
                #expect(throws: StoreError.self) { try deleted.get() }
                #expect(try ids(app) == Array(11...100))
            }
        }
    }

    @Test(
        "a run goes on while the app writes, and never takes one of the newest",
        arguments: Index.allCases, AccessPath.allCases)
    func writingApp(index: Index, accessPath: AccessPath) throws {
        let app = try store(index, rows: 20_000)
        let writer = try DatabaseQueue(path: app.path)
        defer { try? writer.close() }
        let counts = Mutex<[Int]>([])
        let report = app.prune(rule(500), patience: .seconds(60), accessPath: accessPath) { event in
            guard case .batchCommitted(_, let batch) = event else { return }
            // The newest rows of all go, as if the user had cleared what was read last; others come.
            let count = try? writer.write { db in
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
                try db.execute(
                    sql: """
                        DELETE FROM t WHERE id IN (SELECT id FROM t ORDER BY at DESC, id LIMIT 20);
                        INSERT INTO t (at) SELECT \(fresh) FROM t LIMIT 5;
                        """)
                return count
            }
            // A batch that finds nothing to delete leaves what the app has left.
            if batch.deleted > 0 { counts.withLock { $0.append(count ?? 0) } }
        }
        #expect(report.rules[0].outcome == .done, "\(String(describing: report.rules[0].failure))")
        #expect(report.rules[0].deleted > 15_000)
        let after = counts.withLock { $0 }
        #expect(after.count > 2)
        #expect(after.allSatisfy { $0 >= 500 }, "\(after)")
    }

    @Test(
        "more rows than can be watched without an index make the rule wait for the app, and none of them goes"
    )
    func manyWithoutIndex() throws {
        let app = try store(.none, rows: 2_000)
        let connection = try Connection(.write, path: app.path, control: freeControl())
        defer { connection.close() }
        do {
            let db = connection.database
            let deletion = try db.inSnapshot {
                try Deletion(
                    task: PruneTask(rule(1_000), start: runStart, in: .gmt), accessPath: nil, path: app.path,
                    in: db
                )
            }
            let slice = try #require(try deletion.nextSlice(rows: 2_000, in: db))
            try app.execute("UPDATE t SET at = at + 1 WHERE id = 1")
            let error = #expect(throws: StoreError.self) {
                _ = try deletion.delete(slice, version: db.dataVersion(), in: db)
            }
            #expect(error?.kind == .busy)
            let again = try #require(try deletion.nextSlice(rows: 2_000, in: db))
            #expect(try deletion.delete(again, version: db.dataVersion(), in: db).rows == 1_000)
        }
        #expect(try ids(app) == Array(1...1_000))
    }

    private func finish(_ worker: any WorkerContext) throws {
        for _ in 0..<1_000 {
            do throws(StoreError) {
                if try worker.deleteBatch(rows: 10).isLast { return }
            } catch {
                try #require(error.kind == .busy)
            }
        }
        Issue.record("a run without an end")
    }
}
