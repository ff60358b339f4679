import Foundation
import Ledger
import Pruning
import Retention
import SQLitePruning
import Synchronization
import TestSupport
import Testing

/// The share guard in runs on real files.
struct ShareGuardTests {
    private let app: TemporaryStore
    private let stores: [any PrunableStore]

    /// 1,200 rows of a year ago, 100 of two years ago, 200 of the day of the run.
    init() throws {
        let now = Int64(runStart.timeIntervalSince1970)
        app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, seen INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO t SELECT i, \(now) - CASE WHEN i <= 100 THEN 730 WHEN i <= 1300 THEN 365 ELSE 0 END * 86400,
                \(now) FROM n;
            """)
        stores = [
            SQLiteStore(
                StoreDefinition(name: "s", path: app.path, reclaim: false), path: app.path, holder: "test",
                monotonic: systemMonotonic)
        ]
    }

    private func rule(
        _ keep: Span, name: Name = "r", column: String = "at", keptBy: ColumnReference? = nil,
        limits: HoldLimits = .standard
    ) -> RetentionRule {
        RetentionRule(
            name: name, store: "s", table: "t", expiry: .age(column: column, keep: keep),
            keptBy: keptBy.map { [$0] } ?? [],
            holdLimits: limits)
    }

    private func memory(_ last: RetentionRule?) -> GuardMemory {
        GuardMemory(
            lastRuns: last.map { ["r": LastRun(date: runStart, rule: RuleText($0))] } ?? [:], holds: [:])
    }

    @Test("a shortened period says how many rows it alone adds, as of the start of the run")
    func shortened() throws {
        let report = PruneRun.report(
            [rule(Span(30, .day))], on: stores, memory: memory(rule(Span(1, .year)))
        ).rules[0]
        #expect(report.outcome == .held)
        // Those of a year ago are at the old cutoff, not past it.
        #expect(
            report.failure?.cause
                == "would delete 1,300 of 1,500 rows of t (87 %, limit 50 %); its keep was shortened since its last run,"
                + " from 1y to 30d, which alone adds 1,200 rows")
        #expect(report.held?.change == "shortened")
        #expect(try app.integers("SELECT count(*) FROM t") == [1_500])
    }

    @Test("of a rule that marks it is said that it would mark, and what to do to mark the rows")
    func marking() throws {
        try app.execute("ALTER TABLE t ADD COLUMN gone INTEGER")
        var rule = rule(Span(30, .day))
        rule.action = .mark([MarkedColumn("gone", .integer(1))])
        let failure = try #require(PruneRun.report([rule], on: stores).rules[0].failure)
        #expect(
            failure.cause.hasPrefix("would mark 1,300 of 1,500 rows of t (87 %, limit 50 %)"), "\(failure)")
        #expect(failure.hint?.contains("to mark these rows, run `") == true, "\(failure)")
    }

    @Test("a share that is too small to write down holds what deletes one row, and says so")
    func tinyShare() throws {
        try app.execute("UPDATE t SET at = seen WHERE id > 1")
        let limits = HoldLimits(maxShare: 1e-300, minRows: 0)
        let report = PruneRun.report([rule(Span(30, .day), limits: limits)], on: stores).rules[0]
        #expect(
            report.failure?.cause.hasPrefix(
                "would delete 1 of 1,500 rows of t (less than 1 %, limit 1e-298 %); ") == true, "\(report)")
    }

    @Test("where the rule as it was no longer fits the store, how many rows the change adds is left out")
    func unfit() throws {
        let last = rule(Span(30, .day), keptBy: ColumnReference(table: "gone", column: "id"))
        let report = PruneRun.report([rule(Span(30, .day))], on: stores, memory: memory(last)).rules[0]
        #expect(report.failure?.cause.hasSuffix("it was changed since its last run (kept_by)") == true)
    }

    @Test("a share that rounds to its limit is not shown as if it kept it")
    func rounding() throws {
        let limits = HoldLimits(maxShare: 0.8666, minRows: 1)
        let report = PruneRun.report([rule(Span(30, .day), limits: limits)], on: stores).rules[0]
        #expect(report.failure?.cause.contains("(87 %, limit 86.66 %)") == true)
        let close = HoldLimits(maxShare: 0.866_666, minRows: 1)
        let other = PruneRun.report([rule(Span(30, .day), limits: close)], on: stores).rules[0]
        #expect(other.failure?.cause.contains("(87 %, limit 86.6666 %)") == true)
        try app.execute("INSERT INTO t SELECT id + 2000, seen, seen FROM t WHERE id <= 1098")
        let half = PruneRun.report([rule(Span(30, .day))], on: stores).rules[0]
        #expect(half.failure?.cause.contains("(just over the limit of 50 %)") == true, "\(half)")
    }

    @Test("a dry run judges the second rule of a table by what the first leaves, as the run does")
    func twoRulesOfATable() throws {
        // The first takes 100 rows. Of the 1,400 that are left, the second takes 1,200: more than 1,200 of 1,500 are.
        let limits = HoldLimits(maxShare: 0.83, minRows: 1)
        let rules = [
            rule(Span(1, .year), name: "first"), rule(Span(30, .day), name: "second", limits: limits),
        ]
        let planned = PruneRun.report(rules, on: stores, dryRun: true)
        let done = PruneRun.report(rules, on: stores)
        for report in [planned, done] {
            #expect(report.rules.map(\.outcome) == [.done, .held])
            #expect(report.rules[1].held?.expired == 1_200)
            #expect(report.rules[1].held?.rows == 1_400)
        }
    }

    @Test(
        "a confirmation is taken once it is said, and told of before anything is deleted; a dry run tells nothing"
    )
    func confirmation() throws {
        let held = try #require(PruneRun.report([rule(Span(30, .day))], on: stores).rules[0].held)
        let hold = Hold(seen: held, cause: "", since: runStart)
        let memory = GuardMemory(lastRuns: [:], holds: ["r": hold], confirmedNow: ["r"])
        let unconfirmed = GuardMemory(lastRuns: [:], holds: ["r": hold])
        #expect(PruneRun.report([rule(Span(30, .day))], on: stores, memory: unconfirmed).outcome == .held)
        let story = Story()
        let planned = PruneRun.report(
            [rule(Span(30, .day))], on: stores, dryRun: true, memory: memory, story.add)
        #expect(planned.outcome == .done)
        #expect(story.lines == ["finished"])
        #expect(
            PruneRun.report([rule(Span(30, .day))], on: stores, memory: memory, story.add).outcome == .done)
        #expect(story.lines.prefix(3) == ["finished", "confirmed 1300", "started"])
        #expect(try app.integers("SELECT count(*) FROM t") == [200])
    }

    @Test(
        "what a confirmed run left goes, with what has expired since within the limits, and nothing that came in its place",
        arguments: [
            (0, 0, 0, Outcome.done), (0, 10, 0, .done), (0, 0, 1, .held), (1, 0, 0, .held), (1, 0, 1, .held),
            (650, 0, 650, .held), (1, 1, 0, .held), (0, 1_600, 0, .held), (nil, 0, 0, .held),
        ] as [(Int?, Int, Int, Outcome)])
    func rest(gone: Int?, expiredSince: Int, imported: Int, outcome: Outcome) throws {
        let held = try #require(PruneRun.report([rule(Span(30, .day))], on: stores).rules[0].held)
        var hold = Hold(seen: held, cause: "", since: runStart)
        hold.confirmedAt = runStart
        let begun = runStart.addingTimeInterval(-3_600)
        let left = try gone.map { _ in try fingerprint(at: begun) }
        hold.begun = .init(at: begun, left: left)
        try app.execute("DELETE FROM t WHERE id <= \(gone ?? 0)")
        // Half an hour ago they were thirty days old.
        let since = Int64(runStart.timeIntervalSince1970) - 30 * 86_400 - 1_800
        try app.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(expiredSince + imported))
            INSERT INTO t SELECT 5000 + i, CASE WHEN i <= \(expiredSince) THEN \(since) ELSE 1000000000 END, 0 FROM n
                WHERE \(expiredSince + imported) > 0
            """)
        let memory = GuardMemory(lastRuns: [:], holds: ["r": hold])
        let report = PruneRun.report([rule(Span(30, .day))], on: stores, memory: memory).rules[0]
        #expect(report.outcome == outcome, "\(report)")
        #expect(report.deleted == (outcome == .done ? Int64(1_300 + expiredSince) : 0))
        guard outcome == .held else { return }
        let words = gone.map { _ in "1,300 confirmed rows were left, and these are other rows" }
        #expect(
            report.failure?.cause.contains(words ?? "it is not recorded which confirmed rows were left")
                == true)
    }

    /// What happens between a hold and its confirmation.
    enum Meantime: String, CaseIterable {
        case nothing, expiredSince, otherRows, rowGone, rowChanged, otherFile, otherFileWithOtherRows
    }

    @Test(
        "a confirmation covers the rows of the file that a person was shown, and no other",
        arguments: Meantime.allCases)
    func shown(meantime: Meantime) throws {
        let held = try #require(PruneRun.report([rule(Span(30, .day))], on: stores).rules[0].held)
        switch meantime {
        case .nothing: break
        case .expiredSince:
            // Half an hour ago they were thirty days old; a later run finds them.
            let since = Int64(runStart.timeIntervalSince1970) - 30 * 86_400 + 1_800
            try app.execute("UPDATE t SET at = \(since) WHERE id > 1490")
        case .otherRows:
            try app.execute(
                "DELETE FROM t WHERE id <= 600; INSERT INTO t SELECT id + 4000, at, seen FROM t LIMIT 600")
        case .rowGone: try app.execute("DELETE FROM t WHERE id = 1")
        case .rowChanged: try app.execute("UPDATE t SET at = at - 1 WHERE id = 1")
        case .otherFile, .otherFileWithOtherRows:
            try app.execute("VACUUM INTO '\(app.path).new'")
            #expect(rename(app.path + ".new", app.path) == 0)
            if meantime == .otherFileWithOtherRows { try app.execute("UPDATE t SET id = id + 9000") }
        }
        let hold = Hold(seen: held, cause: "", since: runStart)
        let memory = GuardMemory(lastRuns: [:], holds: ["r": hold], confirmedNow: ["r"])
        let isCovered = [.nothing, .expiredSince].contains(meantime)
        let later = runStart.addingTimeInterval(3_600)
        for dryRun in [true, false] {
            let report = PruneRun.report(
                [rule(Span(30, .day))], on: stores, at: later, dryRun: dryRun, memory: memory
            ).rules[0]
            #expect(report.outcome == (isCovered ? .done : .held), "\(report)")
            if dryRun || isCovered { continue }
            let isOther = [.otherFile, .otherFileWithOtherRows].contains(meantime)
            let words =
                isOther
                ? "the confirmation was for another database or table in this place"
                : "the confirmation was for other rows"
            #expect(report.failure?.cause.hasSuffix(words) == true, "\(report)")
            #expect(report.held?.isRepeat(of: held) == false)
        }
    }

    @Test("a hold is the same one as long as the rows that a person was shown are there, and more expire")
    func repeated() throws {
        let first = try #require(PruneRun.report([rule(Span(30, .day))], on: stores).rules[0].held)
        let memory = GuardMemory(
            lastRuns: [:], holds: ["r": Hold(seen: first, cause: "", since: runStart)])
        let since = Int64(runStart.timeIntervalSince1970) - 30 * 86_400 + 1_800
        try app.execute("UPDATE t SET at = \(since) WHERE id > 1490")
        func held() -> HeldRule? {
            let later = runStart.addingTimeInterval(3_600)
            return PruneRun.report([rule(Span(30, .day))], on: stores, at: later, memory: memory).rules[0]
                .held
        }
        #expect(held()?.isRepeat(of: first) == true)
        var recorded = first
        recorded.shown = first.shown.map {
            HeldRule.Shown(at: $0.at.addingTimeInterval(0.000_001), rows: $0.rows)
        }
        #expect(held()?.isRepeat(of: recorded) == true, "the ledger rounds times")
        #expect(held()?.shown == first.shown)
        try app.execute("UPDATE t SET id = id + 9000 WHERE id = 1")
        #expect(held()?.isRepeat(of: first) == false)
        #expect(held()?.shown?.rows.rows == 1_310)
    }

    private func fingerprint(at date: Date) throws -> RowsFingerprint {
        let view = try stores[0].openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        return try view.fingerprint(of: PruneTask(rule(Span(30, .day)), start: date, in: .gmt))
    }

    @Test(
        "of two runs that read the same confirmation one uses it; the other holds what is there by then",
        arguments: [false, true])
    func readTwice(isByHand: Bool) throws {
        let directory = try TemporaryDirectory()
        let ledger = Ledger(stateDirectory: directory.path)
        let rules = [rule(Span(30, .day))]
        try ledger.record(PruneRun.report(rules, on: stores).rules, at: runStart)
        if !isByHand { _ = try ledger.confirm("r", at: runStart) }
        let memory = GuardMemory(
            lastRuns: [:], holds: ledger.holds(), confirmedNow: isByHand ? ["r"] : [])
        let first = PruneRun.report(rules, on: stores, memory: memory, holds: ledger)
        #expect(first.rules[0].deleted == 1_300)
        try app.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
            INSERT INTO t SELECT 5000 + i, 1000000000, 0 FROM n
            """)
        // Before the first run is recorded; after that; and when what is there by then is held, which looks the same.
        for _ in 0..<3 {
            let second = PruneRun.report(rules, on: stores, memory: memory, holds: ledger)
            #expect(second.outcome == .held && second.rules[0].held?.expired == 1_300, "\(second)")
            let isHeld = ledger.holds()["r"] != nil
            try ledger.record(isHeld ? first.rules : second.rules, at: runStart.addingTimeInterval(1))
        }
        #expect(try app.integers("SELECT count(*) FROM t") == [1_500])
    }

    @Test(
        "a rule that runs unheld uses its confirmation up, before it deletes anything: other rows could stand in their place"
    )
    func notNeeded() throws {
        let directory = try TemporaryDirectory()
        let ledger = Ledger(stateDirectory: directory.path)
        let report = PruneRun.report([rule(Span(30, .day))], on: stores)
        try ledger.record(report.rules, at: runStart)
        _ = try ledger.confirm("r", at: runStart)
        try app.execute("DELETE FROM t WHERE id BETWEEN 101 AND 1250")
        let isForgotten = Mutex(false)
        let next = PruneRun.report(
            [rule(Span(30, .day))], on: stores,
            memory: GuardMemory(lastRuns: [:], holds: ledger.holds()), holds: ledger
        ) { event in
            if case .ruleStarted = event { isForgotten.withLock { $0 = ledger.holds()["r"] == nil } }
        }
        #expect(next.outcome == .done && next.rules[0].deleted == 150)
        #expect(isForgotten.withLock { $0 })
    }
}

/// What a run tells, in order.
private final class Story: Sendable {
    private let said = Mutex<[String]>([])
    var lines: [String] { said.withLock { $0 } }

    func add(_ event: PruneEvent) {
        let line =
            switch event {
            case .confirmationTaken(_, let seen): "confirmed \(seen.expired)"
            case .ruleStarted: "started"
            case .ruleFinished: "finished"
            default: "other"
            }
        said.withLock { $0.append(line) }
    }
}
