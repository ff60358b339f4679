import Foundation
import GRDB
import Retention
import Synchronization
import TestSupport
import Testing

@testable import Pruning
@testable import SQLitePruning

/// Counting beside an app that has no write-ahead log and does not wait: nobody commits while somebody reads.
struct CountingTests {
    private static let modes = ["DELETE", "TRUNCATE", "PERSIST"]

    private func app(_ mode: String, rows: Int) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(mode);
            PRAGMA synchronous = OFF;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i, iif(i % 1000 = 0, \(old), \(fresh)), hex(zeroblob(50)) FROM n;
            """)
    }

    private var quiet: RetentionRule {
        var rule = RetentionRule.old()
        rule.isQuiet = true
        return rule
    }

    /// What the app's writes met with while `body` went on.
    private func writes(to app: TemporaryStore, beside body: () throws -> Void) throws -> (
        done: Int, refused: Int
    ) {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: app.path, configuration: configuration)
        let counts = Mutex((done: 0, refused: 0))
        let isOver = Mutex(false)
        let writer = DispatchGroup()
        DispatchQueue(label: "app").async(group: writer) {
            while !isOver.withLock({ $0 }) {
                let result = Result {
                    try queue.write { try $0.execute(sql: "UPDATE t SET text = 'x' WHERE id = 1") }
                }
                counts.withLock { if case .success = result { $0.done += 1 } else { $0.refused += 1 } }
                usleep(1_000)
            }
        }
        defer { try? queue.close() }
        defer { writer.wait() }
        defer { isOver.withLock { $0 = true } }
        try body()
        return counts.withLock { $0 }
    }

    @Test("a quiet rule counts in pieces, between which the app writes", arguments: modes)
    func pieces(mode: String) throws {
        let app = try app(mode, rows: 40_000)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        var census = Census(expired: 0, implausible: 0)
        let (done, refused) = try writes(to: app) {
            // A machine that is slow can hold the app in the middle of a commit. A run tries again then.
            let patience = Patience(settings: RunSettings(monotonic: systemMonotonic), control: freeControl())
            census = try patience.keepTrying { () throws(StoreError) in
                try worker.begin(PruneTask(quiet, start: runStart, in: .gmt), accessPath: nil)
            }.census
        }
        #expect(census == Census(expired: 40, implausible: 0))
        #expect(done > 50 && refused * 10 < done, "\(done) writes, \(refused) refused")
    }

    @Test("what an index counts in no time is not counted by the table", arguments: [true, false])
    func index(isQuiet: Bool) throws {
        let app = try TemporaryStore(
            """
            PRAGMA journal_mode = DELETE;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
            INSERT INTO t SELECT i, iif(i % 1000 = 0, \(old), \(fresh)) FROM n;
            CREATE INDEX t_at ON t (at);
            """)
        let worker = try SQLiteWorker(path: app.path, control: freeControl(), monotonic: systemMonotonic)
        defer { worker.close() }
        let steps = StatementSteps()
        steps.follow(worker.connection.database)
        var rule = RetentionRule.old()
        rule.isQuiet = isQuiet
        let task = PruneTask(rule, start: runStart, in: .gmt)
        #expect(try worker.begin(task, accessPath: .index).census == Census(expired: 40, implausible: 0))
        #expect(steps.most < 5_000, "\(steps.most)")
    }

    @Test("the pieces have what the whole has, whatever the key", arguments: [true, false])
    func sum(isQuiet: Bool) throws {
        for key in [
            "id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY", "id TEXT, PRIMARY KEY (id)) WITHOUT ROWID; --",
        ] {
            let table =
                key.hasSuffix("--")
                ? "CREATE TABLE t (at, id TEXT PRIMARY KEY) WITHOUT ROWID;" : "CREATE TABLE t (at, \(key));"
            let app = try TemporaryStore(
                """
                \(table)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                INSERT INTO t (id, at) SELECT i, CASE i % 3 WHEN 0 THEN \(old) WHEN 1 THEN \(fresh) ELSE 'no time' END FROM n;
                """)
            var rule = RetentionRule.old()
            rule.isQuiet = isQuiet
            let task = PruneTask(rule, start: runStart, in: .gmt)
            let worker = try app.store.openWorker(freeControl())
            defer { worker.close() }
            #expect(
                try worker.begin(task, accessPath: nil).census == Census(expired: 1_000, implausible: 1_000))
        }
    }

    @Test("a journal that its app has left between two transactions is no reason for locks", arguments: modes)
    func journal(mode: String) throws {
        let app = try app(mode, rows: 100)
        var configuration = Configuration()
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF")
        }
        let queue = try DatabaseQueue(path: app.path, configuration: configuration)
        try queue.write { try $0.execute(sql: "UPDATE t SET text = 'y' WHERE id = 1") }
        let file = try StoreFile(path: app.path)
        #expect(!JournalFile.isInUse(of: file))
        try queue.inDatabase { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE t SET text = 'z' WHERE id = 1")
                #expect(JournalFile.isInUse(of: file))
                return .commit
            }
        }
        #expect(!JournalFile.isInUse(of: file))
        try queue.close()
    }
}
