import Pruning
import Retention
import TestSupport
import Testing

/// What a dry run says of a rule's rows that would be deleted with those of the rules before it.
struct PredictedCascadeTests {
    /// Parents 1 to 30 have expired, 31 to 40 not; each has four children, all but the last of them expired, and each of
    /// those one of its own, expired.
    private func store() throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE f (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE c (id INTEGER PRIMARY KEY, f REFERENCES f ON DELETE CASCADE, at INTEGER);
            CREATE TABLE g (id INTEGER PRIMARY KEY, c REFERENCES c ON DELETE CASCADE, at INTEGER);
            CREATE TABLE r (c PRIMARY KEY, at INTEGER);
            CREATE INDEX c_f ON c (f);
            CREATE INDEX g_c ON g (c);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO f SELECT i, iif(i <= 30, \(old), \(fresh)) FROM n;
            INSERT INTO c SELECT NULL, f.id, iif(value < 4, \(old) - value, \(fresh))
                FROM f, json_each('[1, 2, 3, 4]') ORDER BY f.id, value;
            INSERT INTO c VALUES (1000, NULL, \(old));
            INSERT INTO g SELECT NULL, id, \(old) FROM c;
            INSERT INTO r SELECT id, \(old) FROM c;
            """)
    }

    private let feeds = RetentionRule.old("f", name: "feeds", dependents: ["c", "g"])

    private func rule(
        _ table: String, keptBy: ColumnReference? = nil, keepLast: Int64? = nil,
        limits: HoldLimits = .noneAtAll
    ) -> RetentionRule {
        RetentionRule(
            name: "next", store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            dependents: table == "c" ? ["g"] : [], keptBy: keptBy.map { [$0] } ?? [], keepLast: keepLast,
            holdLimits: limits)
    }

    @Test(
        "rows that go with an earlier rule's rows are left out, whatever else the rule says",
        arguments: [
            ("c", nil, nil, 31), ("g", nil, nil, 41), ("c", nil, 20, 20),
            ("r", ColumnReference(table: "c", column: "id"), nil, 120),
        ] as [(String, ColumnReference?, Int64?, Int64)], ["", "CREATE INDEX by_time ON c (at);"])
    func leftOut(
        what: (table: String, keptBy: ColumnReference?, keepLast: Int64?, expired: Int64), index: String
    ) throws {
        let app = try store()
        try app.execute(index)
        let next = rule(what.table, keptBy: what.keptBy, keepLast: what.keepLast)
        for dryRun in [true, false] {
            let report = app.prune(feeds, next, dryRun: dryRun)
            #expect(report.rules.map(\.expired) == [30, what.expired], "\(what), \(dryRun)")
        }
    }

    @Test(
        "the share guard judges what an earlier rule's cascade leaves, of the rows that it leaves",
        arguments: [(0.74, Outcome.held), (0.76, .done)])
    func share(share: Double, outcome: Outcome) throws {
        let app = try store()
        let next = rule("c", limits: HoldLimits(maxShare: share, minRows: 0))
        for dryRun in [true, false] {
            let report = app.prune(feeds, next, dryRun: dryRun).rules[1]
            #expect(report.outcome == outcome && report.expired == 31, "\(report)")
            #expect(report.held.map { [$0.expired, $0.rows] } == (outcome == .held ? [31, 41] : nil))
        }
    }

    @Test("an earlier rule that is held takes nothing along")
    func held() throws {
        let app = try store()
        let held = RetentionRule(
            name: "feeds", store: "s", table: "f", expiry: feeds.expiry, dependents: feeds.dependents,
            holdLimits: HoldLimits(maxShare: 0.5, minRows: 0))
        for dryRun in [true, false] {
            let report = app.prune(held, rule("c"), dryRun: dryRun)
            #expect(report.rules.map(\.outcome) == [.held, .done])
            #expect(report.rules[1].expired == 121)
        }
    }

    @Test(
        "a time that is none is not counted of rows that an earlier rule takes",
        arguments: ["", "CREATE INDEX i ON c (at);"])
    func implausible(index: String) throws {
        let app = try store()
        try app.execute("UPDATE c SET at = -1 WHERE f IN (1, 2, 31); \(index)")
        let predicted = app.prune(feeds, rule("c"), dryRun: true).rules[1]
        let done = app.prune(feeds, rule("c")).rules[1]
        #expect(predicted.keptImplausible == 4 && done.keptImplausible == 4)
        #expect(predicted.expired == done.expired)
    }
}
