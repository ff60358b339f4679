import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// The guard of a table's newest rows, in runs on real files.
struct NewestRowsGuardTests {
    /// The numbers of rows of a table: those that go, those that are newer, and old ones that stay.
    private struct Rows {
        let old: Int
        let fresh: Int
        let starred: Int
    }

    private static let now = Int64(runStart.timeIntervalSince1970)

    private func app(_ rows: Rows, index: String? = nil) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, starred INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t (at, starred)
                SELECT \(Self.now) - 86400 * (100 + i % 90), 0 FROM n WHERE i <= \(rows.old) UNION ALL
                SELECT \(Self.now) - i, 0 FROM n WHERE i <= \(rows.fresh) UNION ALL
                SELECT \(Self.now) - 86400 * (400 + i % 90), 1 FROM n WHERE i <= \(rows.starred);
            \(index.map { "CREATE INDEX byTime ON t (\($0));" } ?? "")
            """)
    }

    private func rule(
        _ expiry: Expiry = .age(column: "at", keep: Span(30, .day)), limits: HoldLimits? = nil
    ) -> RetentionRule {
        RetentionRule(
            name: "r", store: "s", table: "t", expiry: expiry, protect: ["starred = 1"], holdLimits: limits)
    }

    private func run(
        _ rule: RetentionRule, on app: TemporaryStore, isKnown: Bool = false, dryRun: Bool = false
    ) -> RuleReport {
        let store = SQLiteStore(
            StoreDefinition(name: "s", path: app.path, reclaim: false), path: app.path, holder: "test",
            monotonic: systemMonotonic)
        let last = ["r": LastRun(date: runStart, rule: RuleText(rule))] as [Name: LastRun]
        return PruneRun.report(
            [rule], on: [store], dryRun: dryRun,
            memory: GuardMemory(lastRuns: isKnown ? last : [:], holds: [:])
        ).rules[0]
    }

    @Test(
        "a rule that would take all rows of a table, however few, or one of the newest tenth, is held",
        arguments: [nil, "at", "at / 86400"],
        [
            (1, 0, 0, false, .held), (800, 0, 0, false, .held), (800, 0, 0, true, .held),
            (9, 1, 0, false, .done),
            (9, 1, 0, true, .done), (10, 1, 0, false, .held), (10, 1, 0, true, .held),
            (18, 2, 0, false, .done),
            // What stays for ever counts for a rule that never ran.
            (9, 5, 50, false, .held), (9, 5, 50, true, .done), (9, 5, 36, false, .done),
            (9, 0, 50, true, .held),
            (0, 5, 50, false, .done), (0, 0, 0, false, .done),
        ] as [(Int, Int, Int, Bool, Outcome)])
    func newest(index: String?, rows: (old: Int, fresh: Int, starred: Int, isKnown: Bool, outcome: Outcome))
        throws
    {
        let app = try app(Rows(old: rows.old, fresh: rows.fresh, starred: rows.starred), index: index)
        let planned = run(rule(), on: app, isKnown: rows.isKnown, dryRun: true)
        let report = run(rule(), on: app, isKnown: rows.isKnown)
        #expect([planned.outcome, report.outcome] == [rows.outcome, rows.outcome], "\(rows): \(report)")
        #expect(report.deleted == (rows.outcome == .done ? Int64(rows.old) : 0))
    }

    @Test("the message says how many rows these are, from which day the newest is, and what is newer")
    func message() throws {
        func cause(_ old: Int, _ fresh: Int, _ starred: Int = 0) throws -> String? {
            run(rule(), on: try app(Rows(old: old, fresh: fresh, starred: starred))).failure?.cause
        }
        let isNew = "; the rule is new: it has never completed a run"
        #expect(try cause(1, 0) == "would delete the only row of t, the newest from 2026-08-11" + isNew)
        #expect(try cause(800, 0) == "would delete all 800 rows of t, the newest from 2026-08-12" + isNew)
        #expect(
            try cause(30, 1)
                == "would delete 30 of 31 rows of t, the newest from 2026-08-11, and only 1 row is newer"
                + isNew)
        #expect(
            try cause(30, 0, 5)
                == "would delete 30 of 35 rows of t, the newest from 2026-08-11, and none has a newer time"
                + isNew)
    }

    @Test("rows with a deadline may all go, unless their rule says a share; with a share of 1 any rows may")
    func exempt() throws {
        let deadline = Expiry.deadline(column: "at", grace: nil)
        let (all, most) = (HoldLimits(maxShare: 1, minRows: 0), HoldLimits(maxShare: 0.9, minRows: 1_000))
        for (rule, outcome) in [
            (rule(deadline), Outcome.done), (rule(deadline, limits: most), .held), (rule(limits: all), .done),
            (rule(limits: most), .held),
        ] {
            #expect(run(rule, on: try app(Rows(old: 50, fresh: 0, starred: 0))).outcome == outcome)
        }
    }

    @Test("a person's confirmation lets the rows go, and then the table is empty")
    func confirmed() throws {
        let app = try app(Rows(old: 40, fresh: 0, starred: 0))
        let held = try #require(run(rule(), on: app).held)
        let store = SQLiteStore(
            StoreDefinition(name: "s", path: app.path, reclaim: false), path: app.path, holder: "test",
            monotonic: systemMonotonic)
        let memory = GuardMemory(
            lastRuns: [:], holds: ["r": Hold(seen: held, cause: "", since: runStart)], confirmedNow: ["r"])
        #expect(PruneRun.report([rule()], on: [store], memory: memory).rules[0].deleted == 40)
        #expect(try app.integers("SELECT count(*) FROM t") == [0])
    }

    @Test(
        "times as text and with fractions are compared as times",
        arguments: ["datetime(at, 'unixepoch')", "at + 0.5"])
    func otherUnits(value: String) throws {
        for (fresh, outcome) in [(0, Outcome.held), (50, .done)] {
            let app = try app(Rows(old: 50, fresh: fresh, starred: 0))
            try app.execute(
                "CREATE TABLE u AS SELECT id, \(value) AS at, starred FROM t; DROP TABLE t; ALTER TABLE u RENAME TO t"
            )
            var rule = rule()
            rule.time = TimeFormat(value.hasPrefix("datetime") ? .iso8601 : .realSeconds)
            #expect(run(rule, on: app).outcome == outcome)
        }
    }
}
