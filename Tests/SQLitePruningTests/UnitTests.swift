import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// A rule on a column that counts another unit than the rule says.
struct UnitTests {
    enum Shape: String, CaseIterable {
        case rowid = "(id INTEGER PRIMARY KEY, at)"
        case text = "(id TEXT PRIMARY KEY, at) WITHOUT ROWID"
        case timeFirst = "(id, at, PRIMARY KEY (at, id)) WITHOUT ROWID"
        case timeIsKey = "(at INTEGER PRIMARY KEY, id)"
        case valueIsKey = "(id INTEGER, value, at, PRIMARY KEY (value, id)) WITHOUT ROWID"
    }

    /// `odd` rows that have expired, in the unit of which `perSecond` make a second, then `plausible` ones in seconds.
    private func store(
        _ shape: Shape, odd: Int, plausible: Int, perSecond: Int64 = 1_000
    ) throws -> TemporaryStore {
        let (columns, values) = shape == .valueIsKey ? ("id, value, at", "i, 1,") : ("id, at", "i,")
        return try TemporaryStore(
            """
            CREATE TABLE t \(shape.rawValue);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(odd + plausible))
            INSERT INTO t (\(columns)) SELECT \(values) iif(i <= \(odd), (\(old) - i) * \(perSecond), \(old) - i) FROM n;
            """)
    }

    private func count(_ app: TemporaryStore) throws -> Int64 {
        try app.integers("SELECT count(*) FROM t")[0]
    }

    @Test(
        "a rule whose unit is not the column's fails, says the right one and deletes nothing",
        arguments: Shape.allCases)
    func wrongUnit(shape: Shape) throws {
        for (odd, plausible) in [(1, 0), (3, 2), (900, 100), (30_000, 100)] {
            let app = try store(shape, odd: odd, plausible: plausible)
            for dryRun in [true, false] {
                let report = app.outcome(dryRun: dryRun)
                #expect(report.outcome == .failed)
                #expect(report.deleted == 0)
                #expect(report.failure?.kind == .fault(.schema))
                #expect(report.failure?.hint == "these are milliseconds; write unit = \"ms\"")
            }
            #expect(try count(app) == Int64(odd + plausible))
        }
    }

    @Test("with half of the values in the rule's unit, the rule takes those", arguments: Shape.allCases)
    func half(shape: Shape) throws {
        for rows in [1, 2, 500] {
            let app = try store(shape, odd: rows, plausible: rows)
            let report = app.outcome()
            #expect(report.outcome == .done)
            #expect(report.deleted == Int64(rows))
            #expect(report.keptImplausible == Int64(rows))
        }
    }

    @Test(
        "odd values that stand together at the ends of the table are no majority of it",
        arguments: Shape.allCases)
    func oddEnds(shape: Shape) throws {
        let app = try store(shape, odd: 300, plausible: 1_000)
        let number = "CAST(id AS INTEGER)"
        try app.execute(
            "UPDATE t SET at = id WHERE \(number) <= 290; UPDATE t SET at = -id WHERE \(number) > 1200;")
        let report = app.outcome()
        #expect(report.outcome == .done)
        #expect(report.deleted == 900)
        #expect(report.keptImplausible == 400)
    }

    @Test("NULLs say nothing of a unit, and other values than integers are no times")
    func noIntegers() throws {
        let app = try TemporaryStore("CREATE TABLE t (id INTEGER PRIMARY KEY, at);")
        #expect(app.outcome().outcome == .done)
        try app.execute("INSERT INTO t (at) VALUES (NULL), (NULL), (NULL), (\(old)), ('x');")
        #expect(app.outcome().deleted == 1)
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.failure?.cause == "1 of 1 sampled values of t.at cannot be times in seconds")
        #expect(report.failure?.hint == "these are not times; name the column that has the rows' time")
        try app.execute("DELETE FROM t WHERE at NOT NULL;")
        #expect(app.outcome().keptImplausible == 3)
    }

    @Test(
        "of dates as text, and of fractions, the right unit is said, not that another column has the time",
        arguments: [
            ("'2001-01-01'", "dates as text"), ("'2026-11-22T10:00:00Z'", "dates as text"),
            ("'Sun, 15 Nov 2026 10:00:00 GMT'", "dates as in mail and feeds"),
            ("800000000.25", "seconds with a fraction since 2001"), ("'http://x/2001-01-01'", "not times"),
            ("x'00'", "not times"),
        ])
    func otherTimes(value: String, what: String) throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at); INSERT INTO t (at) VALUES (\(value)), (\(value)), (\(old));"
        )
        let hint = try #require(app.outcome().failure?.hint)
        #expect(hint.hasPrefix("these are \(what)"), "\(hint)")
        #expect(hint.contains("write unit = ") == (what != "not times"))
        #expect(hint.contains("column that has the rows' time") == (what == "not times"))
    }

    @Test(
        "times in each unit are told whatever unit the rule says; with the one that the hint says only old rows go",
        arguments: [
            ("(at + 62135596800) * 10000000", "unit = \"ticks\""),
            ("(at + 11644473600) * 10000000", "unit = \"filetime\""),
            ("(at * 1000 - 1420070400000) * 4194304", "unit = \"snowflake\", epoch = \"discord\""),
            ("at / 86400.0 + 2440587.5", "unit = \"d-real\""), ("at / 86400", "unit = \"d\""),
            ("CAST(strftime('%Y%m%d', at, 'unixepoch') AS INTEGER)", "unit = \"yyyymmdd\""),
            ("strftime('%Y-%m-%d %H:%M:%S +0000 UTC', at, 'unixepoch')", "unit = \"go\""),
            ("CAST(at AS TEXT)", "unit = \"s-text\""),
        ])
    func told(value: String, settings: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
            INSERT INTO t SELECT i, \(Int64(runStart.timeIntervalSince1970)) - i * 36000 FROM n;
            UPDATE t SET at = \(value);
            """)
        var rule = RetentionRule.old()
        var right: TimeFormat?
        for format in TimeFormat.all {
            if format.settings == settings {
                right = format
            } else {
                rule.time = format
                let report = app.outcome(rule)
                #expect(report.outcome == .failed && report.deleted == 0, "\(format.settings): \(report)")
                #expect(report.failure?.hint?.contains(settings) == true, "\(format.settings): \(report)")
            }
        }
        rule.time = try #require(right)
        #expect(app.outcome(rule).outcome == .done)
        // 30 days are 72 times ten hours; a value of a day stays until it is over.
        let left = try count(app)
        #expect((72...75).contains(left), "\(left)")
    }

    @Test(
        "times that no rule reads are named, whatever unit the rule says, and nothing is deleted",
        arguments: [
            ("at * 10000", "ten-thousandths"),
            ("CAST(strftime('%Y%m%d%H%M%S', at, 'unixepoch') AS INTEGER)", "dates in digits"),
            ("strftime('%d.%m.%Y %H:%M', at, 'unixepoch')", "dates as text in the order of a country"),
        ])
    func unread(value: String, what: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
            INSERT INTO t SELECT i, \(Int64(runStart.timeIntervalSince1970)) - i * 36000 FROM n;
            UPDATE t SET at = \(value);
            """)
        for format in TimeFormat.all {
            var rule = RetentionRule.old()
            rule.time = format
            let report = app.outcome(rule)
            #expect(report.deleted == 0, "\(format.settings)")
            // Some of them are plausible so, and lie ahead.
            if report.outcome == .done { continue }
            let cause = report.failure?.cause ?? ""
            #expect(cause.contains("look like \(what)"), "\(format.settings): \(report)")
            #expect(report.failure?.hint?.contains("write") != true, "\(report)")
        }
        #expect(try count(app) == 800)
    }
}
