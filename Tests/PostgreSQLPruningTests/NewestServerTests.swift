import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// Whether the newest server at hand has what came with a version. In CI it must.
private func newest(has version: Int) -> ConditionTrait {
    let found = PostgreSQLPrograms.newest?.version
    return .enabled(if: found.map { $0 >= version } ?? true, "needs PostgreSQL \(version) or later")
}

/// What only the newest versions of PostgreSQL have.
@Suite(
    "PostgreSQL's newest version",
    .enabled(
        if: PostgreSQLPrograms.newest != nil || ProcessInfo.processInfo.environment["CI"] == "true",
        "needs root and Debian's newest postgresql; `make test-packages` unpacks it"))
struct NewestServerTests {
    private static let rule = RetentionRule(
        name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
        holdLimits: .noneAtAll)

    /// The even ones of `rows` rows are old, and each has a label.
    private func database(_ rows: Int, label: String) throws -> OwnedDatabase {
        try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz); CREATE INDEX ON t (at);
            CREATE TABLE label (item int REFERENCES t \(label)); CREATE INDEX ON label (item);
            INSERT INTO t SELECT i, to_timestamp(\(Int(runStart.timeIntervalSince1970)) - (i % 2 = 0)::int * 86400 * 90)
            FROM generate_series(1, \(rows)) i; INSERT INTO label SELECT id FROM t; ANALYZE
            """, on: .sharedNewest)
    }

    @Test("a limit on the time of transactions that the database sets does not end a run's", newest(has: 17))
    func transactionTimeout() throws {
        let database = try database(60_000, label: "ON DELETE CASCADE")
        try database.database.psql(
            "ALTER DATABASE \(database.database.name) SET transaction_timeout = '20ms'")
        var rule = Self.rule
        rule.dependents = ["label"]
        let report = try database.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 30_000, "\(report)")
    }

    @Test("a foreign key that is not enforced holds no row and takes none along", newest(has: 18))
    func keyNotEnforced() throws {
        for action in ["", "ON DELETE CASCADE", "ON DELETE RESTRICT"] {
            let database = try database(2_000, label: action + " NOT ENFORCED")
            #expect(try database.outcome(Self.rule, dryRun: true).expired == 1_000, "\(action)")
            #expect(try database.outcome(Self.rule).deleted == 1_000, "\(action)")
            #expect(try database.psql("SELECT count(*) FROM label") == "2000", "\(action)")
        }
    }

    @Test("a foreign key of periods holds the rows that a period of another row needs", newest(has: 18))
    func periodKey() throws {
        let database = try OwnedDatabase(
            """
            CREATE EXTENSION btree_gist;
            CREATE TABLE t (id int, valid daterange, at timestamptz, PRIMARY KEY (id, valid WITHOUT OVERLAPS));
            CREATE TABLE stay (id int, during daterange, FOREIGN KEY (id, PERIOD during) REFERENCES t (id, PERIOD valid));
            CREATE INDEX ON stay (id, during);
            INSERT INTO t SELECT i % 1000, daterange(d, d + 10), timestamptz '2026-01-01 00:00Z'
            FROM generate_series(0, 2999) i CROSS JOIN LATERAL (SELECT date '2025-01-01' + i / 1000 * 10) AS x (d);
            INSERT INTO stay VALUES (7, daterange('2025-01-12', '2025-01-25'))
            """, on: .sharedNewest)
        for dryRun in [true, false] {
            let held = try database.outcome(Self.rule, dryRun: dryRun)
            #expect(held.outcome == .failed && held.deleted == 0, "\(held)")
            #expect(held.failure?.cause.contains("2 expired rows of t cannot be deleted") == true, "\(held)")
            #expect(held.failure?.hint?.contains("kept_by") == false, "\(held)")
        }
        // What the hint advises.
        var rule = Self.rule
        rule.protect = ["id = 7"]
        #expect(try database.outcome(rule).deleted == 2_997)
        try database.psql("DELETE FROM stay")
        #expect(try database.outcome(Self.rule).deleted == 3)
    }

    @Test("a table whose rows refer to periods of others of it is refused", newest(has: 18))
    func ownPeriodKey() throws {
        let database = try OwnedDatabase(
            """
            CREATE EXTENSION btree_gist;
            CREATE TABLE t (id int, valid daterange, at timestamptz, parent int, PRIMARY KEY (id, valid WITHOUT OVERLAPS),
            FOREIGN KEY (parent, PERIOD valid) REFERENCES t (id, PERIOD valid)); CREATE INDEX ON t (parent, valid);
            INSERT INTO t VALUES (1, daterange('2025-01-01', '2025-02-01'), timestamptz '2025-03-01 00:00Z', NULL)
            """, on: .sharedNewest)
        let report = try database.outcome(Self.rule)
        #expect(report.outcome == .failed && report.failure?.cause.contains("PERIOD") == true, "\(report)")
    }

    @Test(
        "values that are computed when they are read are no part of an archived row, and are there when it is back",
        newest(has: 18)
    )
    func virtualColumns() throws {
        let database = try ArchivedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, double int GENERATED ALWAYS AS (id * 2) VIRTUAL,
            late boolean GENERATED ALWAYS AS (id > 90) VIRTUAL);
            INSERT INTO t SELECT i, timestamptz '2026-01-01 00:00Z' FROM generate_series(1, 100) i
            """, on: .sharedNewest)
        var rule = Self.rule
        (rule.archiveKeep, rule.protect) = (Span(90, .day), ["late"])
        let report = try database.prune(rule)
        #expect(report.rules[0].deleted == 90, "\(report)")
        #expect(try database.restore().map(\.restored) == [90])
        #expect(try database.app.psql("SELECT count(*), sum(double) FROM t") == "100|10100")
    }

    @Test("a role with MAINTAIN gives space back, and one without is told what it lacks", newest(has: 17))
    func maintain() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, body text);
            INSERT INTO t SELECT i, timestamptz '2026-01-01 00:00Z', repeat('x', 500) FROM generate_series(1, 5000) i
            """, on: .sharedNewest)
        let store = try database.store([Self.rule], reclaims: true)
        func remarks() throws -> [String] {
            let view = try store.openView(RunControl(monotonic: systemMonotonic))
            defer { view.close() }
            return try view.remarks(before: PruneTask(Self.rule, start: runStart, in: .gmt))
        }
        let grant = "GRANT MAINTAIN ON \"public\".\"t\" TO \"\(database.role)\""
        let lacking = try remarks()
        #expect(lacking.contains { $0.contains(grant) }, "\(lacking)")
        try database.psql(grant)
        #expect(try remarks().isEmpty)
        let report = PruneRun.report([Self.rule], on: [store], at: runStart)
        #expect(report.rules[0].deleted == 5_000, "\(report)")
        #expect(report.reclaims.allSatisfy { $0.failure == nil } && !report.reclaims.isEmpty, "\(report)")
    }
}
