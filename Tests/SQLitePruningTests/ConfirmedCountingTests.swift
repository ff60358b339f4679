import GRDB
import Ledger
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

/// Counting for a confirmed run, which is told which rows are expired, beside an app that has no write-ahead log.
struct ConfirmedCountingTests {
    /// Rows with even keys; of every four, three are expired.
    private func app(_ mode: String = "DELETE", rows: Int = 40_000) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(mode);
            PRAGMA synchronous = OFF;
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            CREATE TABLE k (id INTEGER PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT 2 * i, iif(i % 4, \(old) - i, \(fresh)), hex(zeroblob(20)) FROM n;
            INSERT INTO k SELECT id FROM t WHERE id % 10 = 0;
            """)
    }

    private static func rule(isQuiet: Bool = false, keepLast: Int64? = nil, isKept: Bool = false)
        -> RetentionRule
    {
        var rule = RetentionRule.old(keptBy: isKept ? ColumnReference(table: "k", column: "id") : nil)
        (rule.isQuiet, rule.keepLast) = (isQuiet, keepLast)
        return rule
    }

    @Test(
        "the pieces tell the rows that one snapshot has, and between them the app writes",
        arguments: [
            ("DELETE", rule()), ("TRUNCATE", rule()), ("PERSIST", rule()), ("DELETE", rule(isQuiet: true)),
            ("DELETE", rule(keepLast: 15_000)), ("DELETE", rule(isKept: true)),
        ])
    func told(mode: String, rule: RetentionRule) throws {
        let app = try app(mode, rows: rule.isQuiet ? 8_000 : 40_000)
        let writer = try Writer(app) { _ in "UPDATE t SET text = 'x' WHERE id = 2" }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let worker = try app.store.openWorker(writer.control())
        defer { worker.close() }
        let begun = try writer.writing { try worker.begin(task, accessPath: nil, tellsRows: true) }
        #expect(writer.writes > 5)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        #expect(try begun.rows == view.fingerprint(of: task))
        #expect(try begun.census == view.census(of: task))
        #expect(begun.rows?.rows == begun.census.expired && begun.census.expired > 5_000)
    }

    @Test(
        "rows that the app brings for others while they are counted do not go on with what a confirmed run left",
        arguments: [(true, Outcome.held), (false, .done)])
    func swapped(isSwapped: Bool, outcome: Outcome) throws {
        let app = try app()
        let directory = try TemporaryDirectory()
        let ledger = Ledger(stateDirectory: directory.path)
        var rule = RetentionRule.old()
        rule.holdLimits = .standard
        try ledger.record(app.prune(rule).rules, at: runStart)
        #expect(try ledger.confirm(rule.name, at: runStart)?.seen.expired == 30_000)
        // In the first piece, all of them.
        let writer = try Writer(app) { number in
            guard isSwapped, number < 50 else { return "UPDATE t SET text = 'x' WHERE id = 2" }
            let row = 100 + 8 * number + 2
            return "DELETE FROM t WHERE id = \(row); INSERT INTO t VALUES (\(row + 1), \(old), '')"
        }
        let control = writer.control()
        let begun = writer.writing {
            PruneRun.report(
                [rule], on: [app.store], memory: GuardMemory(lastRuns: [:], holds: ledger.holds()),
                holds: ledger, control: control
            ) { event in
                switch event {
                case .ruleStarted: writer.stop()
                case .batchCommitted: control.requestStop("it is enough")
                default: break
                }
            }
        }
        // Rows that a person was not shown are not confirmed: then the run does not even begin.
        #expect(begun.outcome == (isSwapped ? .held : .stopped), "\(begun)")
        #expect(begun.rules[0].expired == 30_000, "\(begun)")
        try ledger.record(begun.rules, at: runStart)
        let swapped = try app.integers("SELECT count(*) FROM t WHERE id % 2")
        #expect(isSwapped ? swapped[0] > 5 : swapped == [0])
        let next = PruneRun.report(
            [rule], on: [app.store], memory: GuardMemory(lastRuns: [:], holds: ledger.holds()), holds: ledger)
        #expect(next.outcome == outcome, "\(next)")
        #expect(try app.integers("SELECT count(*) FROM t WHERE id % 2") == swapped)
    }
}

/// An app that writes each time that somebody asks the clock, and does not wait for a lock.
private final class Writer: Sendable {
    private let queue: DatabaseQueue
    private let sql: @Sendable (Int) -> String
    private let state = Mutex((isAtWork: false, writes: 0))

    /// `sql`: what it writes, told how many times it has.
    init(_ app: TemporaryStore, _ sql: @escaping @Sendable (Int) -> String) throws {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        queue = try DatabaseQueue(path: app.path, configuration: configuration)
        self.sql = sql
    }

    /// How many of its writes were not refused.
    var writes: Int { state.withLock { $0.writes } }

    /// By whose clock it goes.
    func control() -> RunControl {
        RunControl { [self] in
            write()
            return systemMonotonic()
        }
    }

    func writing<Result>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.isAtWork = true }
        defer { stop() }
        return try body()
    }

    func stop() { state.withLock { $0.isAtWork = false } }

    private func write() {
        let (isAtWork, writes) = state.withLock { $0 }
        guard isAtWork, (try? queue.write { try $0.execute(sql: sql(writes)) }) != nil else { return }
        state.withLock { $0.writes += 1 }
    }
}
