import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// What only the newest versions of PostgreSQL have.
@Suite(
    "PostgreSQL's newest version",
    .enabled(
        if: PostgreSQLPrograms.unpacked != nil || ProcessInfo.processInfo.environment["CI"] == "true",
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

    @Test("a limit on the time of transactions that the database sets does not end a run's (17 and later)")
    func transactionTimeout() throws {
        let database = try database(60_000, label: "ON DELETE CASCADE")
        try database.database.psql(
            "ALTER DATABASE \(database.database.name) SET transaction_timeout = '20ms'")
        var rule = Self.rule
        rule.dependents = ["label"]
        let report = try database.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 30_000, "\(report)")
    }

    @Test("a foreign key that is not enforced holds no row and takes none along (18 and later)")
    func keyNotEnforced() throws {
        for action in ["", "ON DELETE CASCADE", "ON DELETE RESTRICT"] {
            let database = try database(2_000, label: action + " NOT ENFORCED")
            #expect(try database.outcome(Self.rule, dryRun: true).expired == 1_000, "\(action)")
            #expect(try database.outcome(Self.rule).deleted == 1_000, "\(action)")
            #expect(try database.psql("SELECT count(*) FROM label") == "2000", "\(action)")
        }
    }
}
