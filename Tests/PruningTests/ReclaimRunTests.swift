import Foundation
import Pruning
import Retention
import SQLitePruning
import Synchronization
import TestSupport
import Testing

/// The stage after a store's rules, in runs on real files and on a store that fails at will.
struct ReclaimRunTests {
    private let rule = RetentionRule(
        name: "a", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
        holdLimits: .noneAtAll)
    private let misfit = RetentionRule(
        name: "b", store: "s", table: "none", expiry: .age(column: "at", keep: Span(30, .day)))
    private let space = FreeSpace(
        bytes: 10_000_000, freeBytes: 5_000_000, unitBytes: 1_000)

    /// A store with 3,000 expired rows and 30 others, each on a page of its own.
    private func app(vacuum: Int = 2, mode: String = "WAL") throws -> TemporaryStore {
        let old = Int64(runStart.timeIntervalSince1970) - 31 * 86_400
        return try TemporaryStore(
            """
            PRAGMA page_size = 1024; PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(mode);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3030)
            INSERT INTO t SELECT i, iif(i % 101, \(old), \(old + 40 * 86_400)), hex(zeroblob(450)) FROM n;
            """)
    }

    private func store(_ app: TemporaryStore, reclaim: Bool = true) -> SQLiteStore {
        SQLiteStore(
            StoreDefinition(name: "s", path: app.path, reclaim: reclaim), path: app.path, holder: "a test",
            monotonic: systemMonotonic)
    }

    private func size(_ app: TemporaryStore) throws -> Int64 {
        try FileManager.default.attributesOfItem(atPath: app.path)[.size] as? Int64 ?? 0
    }

    @Test(
        "a run gives back what its rules left free, and says how much",
        arguments: ["WAL", "DELETE", "PERSIST"])
    func gives(mode: String) throws {
        let app = try app(mode: mode)
        let before = try size(app)
        let report = PruneRun.report([rule], on: [store(app)])
        let reclaim = try #require(report.reclaims.first)
        #expect(report.reclaims.count == 1)
        #expect(reclaim.store == "s")
        #expect(reclaim.outcome == .done)
        #expect(try reclaim.reclaimedBytes == before - size(app))
        #expect(reclaim.freeBytes == 0)
        #expect(reclaim.steps > 0 && reclaim.longestStep > .zero && reclaim.duration >= reclaim.longestStep)
        #expect(try app.integers("PRAGMA freelist_count") == [0])
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try app.integers("SELECT count(*) FROM t WHERE length(text) = 900") == [30])
        #expect(PruneRun.report([rule], on: [store(app)]).reclaims.isEmpty)
    }

    @Test(
        "nothing is given back where the store is not to, was not made for it, or the run only counts",
        arguments: [(false, 2, false), (true, 0, false), (true, 1, false), (true, 2, true)])
    func leaves(reclaim: Bool, vacuum: Int, dryRun: Bool) throws {
        let app = try app(vacuum: vacuum)
        let before = try size(app)
        let report = PruneRun.report([rule], on: [store(app, reclaim: reclaim)], dryRun: dryRun)
        #expect(report.outcome == .done)
        #expect(report.reclaims.isEmpty)
        #expect(try app.integers("PRAGMA auto_vacuum") == [Int64(vacuum)])
        // FULL gives back by itself.
        if vacuum != 1 { #expect(try size(app) == before) }
    }

    @Test("what an earlier run has left is given back by one that deletes nothing")
    func leftovers() throws {
        let app = try app()
        _ = PruneRun.report([rule], on: [store(app, reclaim: false)])
        let report = PruneRun.report([rule], on: [store(app)])
        #expect(report.rules[0].deleted == 0)
        #expect(try #require(report.reclaims.first).reclaimedBytes > 2 << 20)
    }

    @Test("a stop ends it after the step in hand, the rules stay done, and the next run finishes")
    func stops() throws {
        let app = try app()
        let control = RunControl(monotonic: systemMonotonic)
        let report = PruneRun.report([rule], on: [store(app)], control: control) { event in
            if case .reclaiming = event { control.requestStop("SIGTERM") }
        }
        #expect(report.outcome == .done)
        let reclaim = try #require(report.reclaims.first)
        #expect(reclaim.outcome == .stopped)
        #expect(reclaim.steps == 1)
        #expect(reclaim.failure?.cause == "SIGTERM")
        #expect(try #require(reclaim.freeBytes) > 2 << 20)
        #expect(PruneRun.report([rule], on: [store(app)]).reclaims.first?.outcome == .done)
        #expect(try app.integers("PRAGMA freelist_count") == [0])
    }

    @Test("after a stop in a rule it does not begin")
    func stoppedBefore() throws {
        let app = try app()
        let control = RunControl(monotonic: systemMonotonic)
        let report = PruneRun.report([rule], on: [store(app)], control: control) { event in
            if case .batchCommitted(let report, _) = event, report.deleted > 1_000 {
                control.requestStop("SIGTERM")
            }
        }
        #expect(report.outcome == .stopped)
        #expect(report.reclaims.isEmpty)
    }

    @Test("a rule that does not fit its table keeps no other rule's pages from being given back")
    func misfitting() throws {
        let app = try app()
        let report = PruneRun.report([misfit, rule], on: [store(app)])
        #expect(report.rules.map(\.outcome) == [.failed, .done])
        #expect(report.reclaims.map(\.outcome) == [.done])
    }

    @Test("in a store that is in trouble nothing is given back")
    func trouble() {
        let fake = FakeStore(batches: [.fails(.inputOutput)], space: space)
        #expect(PruneRun.report([rule], on: [fake]).reclaims.isEmpty)
    }

    @Test("it tells what it does, step by step and in the end")
    func events() throws {
        let story = Mutex<[Int64]>([])
        let fake = FakeStore(
            batches: [.deletes(1, isLast: true)], space: space,
            steps: [.deletes(10, isLast: false), .deletes(20, isLast: false), .deletes(0, isLast: true)])
        let report = PruneRun.report([rule], on: [fake]) { event in
            if case .reclaiming(let report) = event { story.withLock { $0.append(report.reclaimedBytes) } }
            if case .reclaimFinished(let report) = event {
                story.withLock { $0.append(Int64(-report.steps)) }
            }
        }
        // The last step found nothing more.
        let told: [Int64] = [10_000, 30_000, 30_000, -2]
        #expect(story.withLock { $0 } == told)
        #expect(report.reclaims.first?.freeBytes == 0)
    }

    @Test("a full disk halves the step, and it goes on")
    func full() throws {
        let fake = FakeStore(
            batches: [.deletes(1, isLast: true)], space: space,
            steps: [
                .deletes(1, isLast: false), .deletes(8, isLast: false), .fails(.full), .fails(.full),
                .deletes(8, isLast: true),
            ])
        let report = PruneRun.report([rule], on: [fake])
        #expect(report.reclaims.first?.outcome == .done)
        #expect(fake.sizes == [1, 1, 8, 32, 16, 8])
    }

    @Test("an app that goes on freeing pages does not keep it from ending")
    func endless() throws {
        let steps = Array(repeating: FakeStore.Answer.deletes(300, isLast: false), count: 1_000)
        let fake = FakeStore(
            batches: [.deletes(1, isLast: true)],
            space: FreeSpace(bytes: 3_000, freeBytes: 300, unitBytes: 1),
            steps: steps)
        let report = PruneRun.report([rule], on: [fake])
        #expect(report.reclaims.first?.steps == 10)
    }

    @Test(
        "what goes wrong ends it with a reason, and never makes a rule's outcome worse",
        arguments: [
            (.busy, .skipped), (.pinned, .stopped), (.damaged, .failed), (.inputOutput, .failed),
            (.replaced, .failed), (.other, .failed),
        ] as [(StoreError.Kind, Outcome)])
    func ending(kind: StoreError.Kind, outcome: Outcome) throws {
        let fake = FakeStore(
            batches: [.deletes(1, isLast: true)], space: space,
            steps: [.deletes(10, isLast: false)] + Array(repeating: .fails(kind), count: 1_000))
        let report = PruneRun.report([rule], on: [fake], patience: .milliseconds(60))
        #expect(report.outcome == .done)
        let reclaim = try #require(report.reclaims.first)
        #expect(reclaim.outcome == outcome)
        #expect(reclaim.failure?.kind == .fault(kind))
        #expect(reclaim.reclaimedBytes == 10_000)
        #expect(reclaim.freeBytes == 4_990_000)
    }
}
