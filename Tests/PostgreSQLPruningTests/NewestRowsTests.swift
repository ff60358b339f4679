import Foundation
import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "The newest rows of a table, and what a confirmation covers",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct NewestRowsTests {
    private static let types = ["timestamptz", "timestamp", "bigint", "double precision"]

    /// A table of rows that have expired, and of others of today.
    private func database(_ type: String, expired: Int, fresh: Int, index: Bool = true) throws
        -> OwnedDatabase
    {
        let seconds = Int(runStart.timeIntervalSince1970)
        let time =
            switch type {
            case "bigint", "double precision": "(\(seconds) - age)::\(type)"
            default: "((to_timestamp(\(seconds) - age)) AT TIME ZONE 'UTC')::\(type)"
            }
        return try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at \(type));
            SET TimeZone = 'UTC';
            INSERT INTO t SELECT n, \(time) FROM (SELECT n, CASE WHEN n <= \(expired) THEN 86400 * (100 + n % 9) ELSE n END
            AS age FROM generate_series(1, \(expired + fresh)) n) rows;
            \(index ? "CREATE INDEX ON t (at)" : "")
            """)
    }

    private func rule(_ type: String) throws -> RetentionRule {
        let isLocal = type == "timestamp" || type == "date"
        return RetentionRule(
            name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            time: TimeFormat(
                type == "double precision" ? .realSeconds : .seconds,
                zone: isLocal ? Zone(identifier: "UTC") : nil))
    }

    @Test(
        "a rule that would take all rows of a table, however few, or one of the newest tenth, is held",
        arguments: types,
        [(1, 0, .held), (9, 1, .done), (10, 1, .held)]
            as [(Int, Int, Outcome)])
    func newest(type: String, rows: (expired: Int, fresh: Int, outcome: Outcome)) throws {
        let database = try database(
            type, expired: rows.expired, fresh: rows.fresh, index: rows.expired % 2 == 0)
        for dryRun in [true, false] {
            let report = try database.outcome(try rule(type), dryRun: dryRun)
            #expect(report.outcome == rows.outcome, "\(report)")
            guard rows.outcome == .held else { continue }
            #expect(report.failure?.cause.contains("the newest from 2026-08-1") == true, "\(report)")
        }
    }

    @Test(
        "a confirmation covers the rows of the table that a person was shown, and no other",
        arguments: [
            ("", true), ("UPDATE t SET id = id + 1000 WHERE id = 1", false),
            ("DELETE FROM t WHERE id = 1; INSERT INTO t SELECT 900, at FROM t WHERE id = 2", false),
            (
                """
                ALTER TABLE t RENAME TO old; CREATE TABLE t (id int PRIMARY KEY, at timestamptz);
                INSERT INTO t SELECT * FROM old
                """, false
            ),
        ])
    func shown(meantime: String, isCovered: Bool) throws {
        let database = try database("timestamptz", expired: 40, fresh: 0)
        let rule = try rule("timestamptz")
        let held = try #require(try database.outcome(rule).held)
        if !meantime.isEmpty { try database.psql(meantime) }
        let memory = GuardMemory(
            lastRuns: [:], holds: ["r": Hold(seen: held, cause: "", since: runStart)], confirmedNow: ["r"])
        let report = PruneRun.report([rule], on: [try database.store([rule])], memory: memory).rules[0]
        #expect(report.outcome == (isCovered ? .done : .held), "\(report)")
        #expect(report.deleted == (isCovered ? 40 : 0))
        guard !isCovered else { return }
        #expect(report.failure?.cause.contains("the confirmation was for") == true, "\(report)")
    }
}
