import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "Times that are none",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct OddTimeTests {
    private static let columns: [(type: String, values: [String], zone: Zone?)] = [
        ("date", ["0000-00-00", "2020-00-10", "2020-01-00", "0000-01-01", "1999-12-31"], .gmt),
        (
            "datetime",
            [
                "0000-00-00", "2020-00-10 10:00", "2020-01-00 00:00", "2020-00-00 23:59:59", "0001-01-01",
                "1999-12-31 23:59:59",
            ], .gmt
        ),
        ("datetime(6)", ["0000-00-00", "2020-00-10 10:00:00.5", "1999-12-31 23:59:59.999999"], .gmt),
        ("timestamp", ["0000-00-00", "1970-01-01 00:00:01", "1999-12-31 23:59:59"], nil),
        ("timestamp(3)", ["0000-00-00", "1999-12-31 23:59:59.999"], nil),
    ]

    @Test(
        "zero dates, days that are none, NULL and what is too early stay and are counted, by either way",
        arguments: columns, AccessPath.allCases)
    func implausible(column: (type: String, values: [String], zone: Zone?), path: AccessPath) throws {
        let rows = column.values.enumerated().map { "(\(100 + $0.offset), '\($0.element)')" }
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at \(column.type) NULL, INDEX (at));
            INSERT INTO t VALUES \(rows.joined(separator: ", ")), (200, NULL), (201, '2026-11-19');
            INSERT INTO t VALUES (1, '2026-01-01'), (2, '2000-01-01'), (3, '2020-02-29')
            """)
        let kept = try app.run("SELECT id, at FROM t WHERE id >= 100 ORDER BY id")
        var rule = RetentionRule.old()
        rule.time = TimeFormat(zone: column.zone)
        for dryRun in [true, false] {
            let report = try app.prune(rule, dryRun: dryRun, accessPath: path)
            #expect(report.outcome == .done && report.expired == 3, "\(report)")
            #expect(Int(report.keptImplausible) == column.values.count + 1, "\(report)")
            #expect(report.deleted == (dryRun ? 0 : 3), "\(report)")
        }
        #expect(try app.run("SELECT id, at FROM t ORDER BY id") == kept)
    }

    @Test("times without a zone are counted by days in a plan, whatever the zone is")
    func ages() throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at datetime NOT NULL, INDEX (at));
            INSERT INTO t SELECT seq, TIMESTAMP'2026-11-20 12:00:00' - INTERVAL seq MINUTE FROM seq_1_to_60000
            """)
        for zone in [Zone.gmt, try #require(Zone(identifier: "Asia/Tokyo"))] {
            var rule = RetentionRule.old()
            rule.time = TimeFormat(zone: zone)
            let view = try app.store([rule]).openView(RunControl(monotonic: systemMonotonic))
            let ages = try view.ages(of: PruneTask(rule, start: runStart, in: .gmt))
            #expect(ages.counts.count <= 45 && ages.grain == 86_400, "\(ages.counts.count)")
            #expect(ages.counts.reduce(0) { $0 + $1.rows } == 60_000)
        }
    }

    @Test("of a deadline, NULL means never, and zero dates are counted", arguments: AccessPath.allCases)
    func deadlines(path: AccessPath) throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL, INDEX (at));
            INSERT INTO t VALUES (1, NULL), (2, '0000-00-00'), (3, '2026-11-19'), (4, '2026-11-21')
            """)
        let rule = RetentionRule(
            name: "old", store: "s", table: "t", expiry: .deadline(column: "at", grace: nil),
            holdLimits: .noneAtAll)
        let report = try app.prune(rule, accessPath: path)
        #expect(report.deleted == 1 && report.keptImplausible == 1, "\(report)")
        #expect(try app.run("SELECT id FROM t ORDER BY id") == [["1"], ["2"], ["4"]])
    }

    @Test("numbers that are no time of the unit stay and are counted")
    func numbers() throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at bigint unsigned);
            INSERT INTO t VALUES (1, 1767225600), (2, 0), (3, 1), (4, 18446744073709551615), (5, NULL),
                (6, 1767225600000);
            INSERT INTO t SELECT seq, 1795000000 + seq FROM seq_101_to_140
            """)
        let report = try app.prune()
        #expect(report.deleted == 1 && report.keptImplausible == 5, "\(report)")
        #expect(try app.rows() == 45)
    }
}
