import Foundation
import Pruning
import Retention
import SQLitePruning
import Synchronization
import TestSupport
import Testing

struct PruneRunTests {
    private let old = Int64(runStart.timeIntervalSince1970) - 31 * 86_400

    private func rule(_ name: Name, on store: Name = "s", table: String = "t") -> RetentionRule {
        RetentionRule(
            name: name, store: store, table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            holdLimits: .noneAtAll)
    }

    /// A store with `rows` expired rows in each of the tables `t` and `u`.
    private func app(_ rows: Int = 5, mode: String = "WAL") throws -> TemporaryStore {
        try TemporaryStore(
            ["t", "u"].map { table in
                """
                PRAGMA journal_mode = \(mode);
                CREATE TABLE \(table) (id INTEGER PRIMARY KEY, at INTEGER);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                INSERT INTO \(table) SELECT i, \(old) FROM n;
                """
            }.joined())
    }

    private func store(_ app: TemporaryStore, _ name: Name = "s") -> SQLiteStore {
        SQLiteStore(
            StoreDefinition(name: name, path: app.path), path: app.path, holder: "a test",
            monotonic: systemMonotonic)
    }

    private func spoil(_ app: TemporaryStore) throws {
        try String(repeating: "not a database ", count: 500).write(
            toFile: app.path, atomically: false, encoding: .utf8)
    }

    @Test("stores run side by side: one goes on when another is damaged")
    func sideBySide() throws {
        let (good, bad) = (try app(), try app())
        try spoil(bad)
        let report = PruneRun.report(
            [
                rule("a", on: "bad"), rule("b", on: "good"), rule("c", on: "bad"),
                rule("d", on: "good", table: "u"),
            ],
            on: [store(good, "good"), store(bad, "bad")])
        #expect(report.rules.map(\.rule) == ["a", "b", "c", "d"])
        #expect(report.rules.map(\.outcome) == [.failed, .done, .failed, .done])
        #expect(report.rules.map(\.deleted) == [0, 5, 0, 5])
        #expect(report.outcome == .failed)
    }

    @Test("nothing more is tried on a damaged store")
    func damaged() throws {
        let bad = try app()
        try spoil(bad)
        let started = Mutex(0)
        let report = PruneRun.report([rule("a"), rule("b", table: "u")], on: [store(bad)]) { event in
            if case .ruleStarted = event { started.withLock { $0 += 1 } }
        }
        #expect(report.rules.map { $0.failure?.kind } == [.fault(.damaged), .fault(.damaged)])
        #expect(report.rules[0].failure?.cause == report.rules[1].failure?.cause)
        #expect(report.rules[1].failure?.operation == "run rule b")
        #expect(started.withLock { $0 } == 0)
    }

    @Test("a rule that does not fit its table does not keep the store's other rules from running")
    func misfit() throws {
        let app = try app()
        let report = PruneRun.report([rule("a", table: "none"), rule("b")], on: [store(app)])
        #expect(report.rules.map(\.outcome) == [.failed, .done])
        #expect(report.rules[1].deleted == 5)
    }

    @Test(
        "a run that deletes fewer rows than it counted is done only if the app took care of the others",
        arguments: [(nil, .done), (.locked, .skipped), (.other, .failed)] as [(StoreError.Kind?, Outcome)])
    func shortfall(kind: StoreError.Kind?, outcome: Outcome) {
        for deleted in [0, 400] as [Int64] {
            let fake = FakeStore(batches: [.deletes(deleted, isLast: true)], shortfall: kind)
            let report = PruneRun.report([rule("a"), rule("b")], on: [fake]).rules
            #expect(report[0].outcome == outcome && report[0].deleted == deleted, "\(report)")
            // Rows that are locked in one table say nothing of another.
            #expect(report[1].outcome == outcome && report[1].failure?.operation != "run rule b", "\(report)")
        }
        let all = FakeStore(batches: [.deletes(1_000, isLast: true)], shortfall: .other)
        #expect(PruneRun.report([rule("a")], on: [all]).rules[0].outcome == .done)
    }

    @Test("a stop between two rules leaves the second untouched")
    func stopBetweenRules() throws {
        let app = try app()
        let control = RunControl(monotonic: systemMonotonic)
        let report = PruneRun.report([rule("a"), rule("b", table: "u")], on: [store(app)], control: control) {
            event in
            if case .ruleFinished = event { control.requestStop("SIGTERM") }
        }
        #expect(report.rules.map(\.outcome) == [.done, .stopped])
        #expect(report.rules.map(\.deleted) == [5, 0])
        #expect(report.rules[1].failure?.cause == "SIGTERM")
        #expect(try app.integers("SELECT count(*) FROM u") == [5])
    }

    @Test("a stop in the middle of a rule ends it after the batch in hand, and the next run goes on")
    func stopBetweenBatches() throws {
        let app = try app(2_000)
        let control = RunControl(monotonic: systemMonotonic)
        let first = PruneRun.report([rule("a")], on: [store(app)], control: control) { event in
            if case .batchCommitted = event { control.requestStop("SIGTERM") }
        }.rules[0]
        #expect(first.outcome == .stopped)
        #expect(first.batches == 1)
        #expect(first.deleted == 1)
        #expect(first.expired == 2_000)
        #expect(try app.integers("SELECT count(*) FROM t") == [1_999])
        let second = PruneRun.report([rule("a")], on: [store(app)]).rules[0]
        #expect(second.outcome == .done)
        #expect(second.deleted == 1_999)
    }

    @Test("a stop before the run touches nothing, and ends the wait for a busy store")
    func stopBefore() throws {
        let app = try app()
        let claim = try store(app).claim(RunControl(monotonic: systemMonotonic))
        defer { claim.release() }
        let control = RunControl(monotonic: systemMonotonic)
        let begin = systemMonotonic()
        let report = PruneRun.report([rule("a")], on: [store(app)], patience: .seconds(60), control: control)
        { event in
            if case .waiting = event { control.requestStop("SIGINT") }
        }
        #expect(report.outcome == .stopped)
        #expect(systemMonotonic() - begin < .seconds(30))
    }

    @Test("a busy store is waited for as long as patience lasts, and its rules are skipped together")
    func busy() throws {
        let app = try app()
        let claim = try store(app).claim(RunControl(monotonic: systemMonotonic))
        let waits = Mutex(0)
        let report = PruneRun.report(
            [rule("a"), rule("b", table: "u")], on: [store(app)], patience: .milliseconds(120)
        ) {
            if case .waiting = $0 { waits.withLock { $0 += 1 } }
        }
        #expect(report.rules.map(\.outcome) == [.skipped, .skipped])
        #expect(waits.withLock { $0 } == 1)
        claim.release()
        #expect(PruneRun.report([rule("a")], on: [store(app)]).outcome == .done)
    }

    @Test("a dry run counts, and its outcome is what a run would have had")
    func dryRun() throws {
        let app = try app()
        let report = PruneRun.report([rule("a"), rule("b", table: "none")], on: [store(app)], dryRun: true)
        #expect(report.dryRun)
        #expect(report.rules.map(\.outcome) == [.done, .failed])
        #expect(report.rules.map(\.expired) == [5, nil])
        #expect(report.rules.map(\.deleted) == [0, 0])
        #expect(try app.integers("SELECT count(*) FROM t") == [5])
    }

    @Test("a dry run of many rules on one table counts each row once, and ends")
    func dryRunOfManyRules() throws {
        let app = try app()
        let rules = (10..<40).compactMap { Name("r\($0)") }.map { rule($0) }
        let report = PruneRun.report(rules, on: [store(app)], dryRun: true)
        #expect(report.rules.map(\.expired) == [5] + Array(repeating: 0, count: 29))
    }

    @Test("the cutoff is fixed when the run starts, however long it waits")
    func cutoff() throws {
        let app = try app()
        try app.execute("INSERT INTO t VALUES (100, \(old + 86_400)), (101, \(old + 86_400 - 1))")
        let report = PruneRun.report([rule("a")], on: [store(app)]).rules[0]
        #expect(report.cutoff == Date(timeIntervalSince1970: Double(old + 86_400)))
        #expect(try app.integers("SELECT id FROM t") == [100])
    }

    @Test("events tell the run's story in order")
    func events() throws {
        let app = try app(600)
        let story = Mutex<[String]>([])
        let report = PruneRun.report([rule("a"), rule("b", table: "u")], on: [store(app)]) { event in
            let line =
                switch event {
                case .ruleStarted(let task, let expired, let plan):
                    "start \(task.rule.name) \(expired) \(plan)"
                case .batchCommitted(let report, let batch): "batch \(report.deleted) \(batch.isLast)"
                case .waiting: "wait"
                case .confirmationTaken: "confirmed"
                case .ruleFinished(let report): "end \(report.rule) \(report.deleted)"
                case .reclaiming, .reclaimFinished, .remarked: "reclaim"
                }
            story.withLock { $0.append(line) }
        }
        let lines = story.withLock { $0 }
        #expect(lines.first == "start a 600 walk")
        #expect(lines[1].hasPrefix("batch 1 "))
        #expect(lines.filter { $0.hasPrefix("end") } == ["end a 600", "end b 600"])
        #expect(lines.filter { $0.hasPrefix("batch") }.count == report.rules.map(\.batches).reduce(0, +))
    }

    @Test("where nothing has expired, no worker opens the store")
    func nothingToDo() throws {
        let app = try app()
        try app.execute("DELETE FROM t")
        let before = try FileManager.default.attributesOfItem(atPath: app.path)[.modificationDate] as? Date
        let report = PruneRun.report([rule("a")], on: [store(app)]).rules[0]
        #expect(report.outcome == .done)
        #expect(report.batches == 0)
        #expect(report.accessPath == nil)
        #expect(
            try FileManager.default.attributesOfItem(atPath: app.path)[.modificationDate] as? Date == before)
    }

    @Test(
        "a batch that a full disk has no room for, or that is too large for the archive, is halved",
        arguments: [.full, .tooLarge] as [StoreError.Kind])
    func full(kind: StoreError.Kind) {
        let fake = FakeStore(
            batches: Self.first + [.fails(kind), .fails(kind), .deletes(10, isLast: false)]
                + [.deletes(5, isLast: true)])
        let report = PruneRun.report([rule("a")], on: [fake]).rules[0]
        #expect(report.outcome == .done)
        #expect(report.deleted == 24)
        #expect(fake.sizes.prefix(5) == [1, 8, 32, 16, 8])
    }

    @Test("no more goes than the guards have seen, but for the batch in hand: the rest is for the next run")
    func noMoreThanCounted() {
        let batches = [FakeStore.Answer](repeating: .deletes(600, isLast: false), count: 3)
        let report = PruneRun.report([rule("a")], on: [FakeStore(batches: batches)]).rules[0]
        #expect(report.expired == 1_000)
        #expect(report.outcome == .done && report.deleted == 1_200 && report.batches == 2)
    }

    @Test("a disk that is too full for a single row fails the rule")
    func fullForGood() {
        let fake = FakeStore(batches: Self.first + Array(repeating: .fails(.full), count: 100))
        let report = PruneRun.report([rule("a"), rule("b")], on: [fake])
        #expect(report.rules.map(\.outcome) == [.failed, .failed])
        #expect(report.rules.map { $0.failure?.kind } == [.fault(.full), .fault(.full)])
        #expect(fake.sizes == [1, 8, 32, 16, 8, 4, 2, 1])
    }

    /// After these, a batch has 32 rows.
    private static let first = [FakeStore.Answer.deletes(1, isLast: false), .deletes(8, isLast: false)]

    @Test(
        "after a batch of a quiet rule the lock is free for 400 times as long, even while nobody else is there"
    )
    func quiet() {
        let fake = FakeStore(batches: [.deletes(1, isLast: false), .deletes(1, isLast: true)])
        var rule = rule("a")
        rule.isQuiet = true
        let report = PruneRun.report([rule], on: [fake]).rules[0]
        #expect(report.outcome == .done && report.duration >= .milliseconds(40), "\(report.duration)")
    }

    @Test("after a batch whose statements took too long, the run begins again with one row")
    func tooSlow() {
        let fake = FakeStore(batches: Self.first + [.fails(.tooSlow), .deletes(1, isLast: true)])
        let report = PruneRun.report([rule("a")], on: [fake]).rules[0]
        #expect(report.outcome == .done)
        #expect(fake.sizes == [1, 8, 32, 1])
    }

    @Test("a row that takes too long is tried three times, then it fails its rule alone")
    func slowRow() {
        let fake = FakeStore(
            batches: [.fails(.tooSlow), .fails(.tooSlow), .deletes(1, isLast: false), .fails(.tooSlow)]
                + Array(repeating: .fails(.tooSlow), count: 3))
        let report = PruneRun.report([rule("a"), rule("b")], on: [fake])
        #expect(report.rules.map(\.outcome) == [.failed, .done])
        #expect(report.rules[0].failure?.kind == .fault(.tooSlow))
        #expect(fake.sizes.dropLast() == [1, 1, 1, 2, 1, 1, 1])
    }

    @Test(
        "fifty slow rows one after the other fail their rule, but not on a busy machine, nor those that many others go with",
        arguments: [
            (0, .milliseconds(30), .failed), (100, .milliseconds(30), .failed),
            (200, .milliseconds(30), .done),
            (0, .milliseconds(3), .done), (0, nil, .done),
        ] as [(Int64, Duration?, Outcome)])
    func slowRows(dependents: Int64, effort: Duration?, outcome: Outcome) {
        let slow = FakeStore.Answer.deletesSlowly(dependents: dependents, effort: effort)
        // The second batch has two rows.
        let fake = FakeStore(
            batches: Array(repeating: slow, count: 60) + [.deletes(1, isLast: true)])
        let report = PruneRun.report([rule("a"), rule("b")], on: [fake])
        #expect(report.rules.map(\.outcome) == [outcome, .done])
        #expect((report.rules[0].batches < 60) == (outcome == .failed))
        #expect(report.rules[0].failure?.cause == (outcome == .failed ? "50 rows" : nil))
    }

    @Test("a single row that is too large fails its rule alone")
    func tooLarge() {
        let fake = FakeStore(batches: Self.first + Array(repeating: .fails(.tooLarge), count: 6))
        let report = PruneRun.report([rule("a"), rule("b")], on: [fake])
        #expect(report.rules.map(\.outcome) == [.failed, .done])
        #expect(report.rules[0].failure?.kind == .fault(.tooLarge))
        #expect(fake.sizes == [1, 8, 32, 16, 8, 4, 2, 1, 1])
    }

    @Test("a batch that was busy comes again with the same size")
    func busyBatch() {
        let fake = FakeStore(
            batches: Self.first + [.fails(.busy), .fails(.busy), .deletes(10, isLast: true)])
        let report = PruneRun.report([rule("a")], on: [fake]).rules[0]
        #expect(report.outcome == .done)
        #expect(fake.sizes == [1, 8, 32, 32, 32])
    }

    @Test(
        "how an error in mid-run ends the rule and what it means for the next",
        arguments: [
            (.damaged, .failed, false), (.inputOutput, .failed, false), (.busy, .skipped, false),
            (.pinned, .stopped, false), (.unsafe, .failed, true), (.schema, .failed, true),
            (.unsupported, .failed, true), (.other, .failed, true),
        ] as [(StoreError.Kind, Outcome, Bool)])
    func ending(kind: StoreError.Kind, outcome: Outcome, nextRuns: Bool) {
        let answers: [FakeStore.Answer] = [.deletes(3, isLast: false)]
        // Patience is over after some tries; what follows is the next rule's.
        let retries = kind == .busy || kind == .pinned ? 1_000 : 1
        let fake = FakeStore(batches: answers + Array(repeating: .fails(kind), count: retries))
        let report = PruneRun.report([rule("a"), rule("b")], on: [fake], patience: .milliseconds(60))
        #expect(report.rules[0].outcome == outcome)
        #expect(report.rules[0].deleted == 3)
        #expect(report.rules[0].failure?.kind == .fault(kind))
        #expect((report.rules[1].outcome == .done) == nextRuns)
    }
}
