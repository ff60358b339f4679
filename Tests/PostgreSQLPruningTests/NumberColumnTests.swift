import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

/// Times as numbers, in every unit and epoch, and what is no time.
@Suite("Times in number columns of PostgreSQL")
struct NumberColumnTests {
    /// A run keeps rows from this Unix second on.
    private static let cutoff: Int64 = 1_795_176_000 - 30 * 86_400

    private func rule(_ format: TimeFormat) -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            time: format, holdLimits: .noneAtAll)
    }

    @Test("integers go between the first plausible value and the cutoff, in each unit and epoch")
    func integers() throws {
        let database = try OwnedDatabase(
            "CREATE TABLE t (id int PRIMARY KEY, at bigint); CREATE INDEX ON t (at)")
        let app = try database.app()
        let units: [(TimeUnit, Int64)] = [
            (.seconds, 1), (.milliseconds, 1_000), (.microseconds, 1_000_000), (.nanoseconds, 1_000_000_000),
        ]
        // The epoch's Unix second, and that of the first plausible time.
        let epochs: [(Epoch, Int64, Int64)] = [
            (.unix, 0, 946_684_800), (.coreData, 978_307_200, 1_104_537_600),
            (.chromium, -11_644_473_600, 1_104_537_600),
        ]
        for (unit, perSecond) in units {
            for (epoch, zero, start) in epochs where epoch != .chromium || unit != .nanoseconds {
                let first = (start - zero) * perSecond
                let end = (Self.cutoff - zero) * perSecond
                let values = [
                    first - 1, first, first + 1, end - perSecond, end - 1, end, end + 1, end + perSecond, 0,
                    -1, 1,
                    .min, .max, .max - 1, 1_000_000, -end,
                ]
                let rows =
                    values.enumerated().map { "(\($0), \($1))" } + ["(99, NULL)"]
                    + (100..<140).map { "(\($0), \(end))" }
                try app.execute("TRUNCATE t; INSERT INTO t VALUES \(rows.joined(separator: ", "))")
                let place: Comment = "\(unit), \(epoch)"
                for accessPath in AccessPath.allCases {
                    let expected = values.indices.filter { values[$0] >= first && values[$0] < end }
                    let report = try database.outcome(
                        rule(TimeFormat(unit, since: epoch)), accessPath: accessPath)
                    #expect(report.outcome == .done, "\(report) \(place)")
                    #expect(report.deleted == (accessPath == .walk ? Int64(expected.count) : 0), place)
                    let left = values.indices.filter { !expected.contains($0) } + [99] + Array(100..<140)
                    #expect(try app.integers("SELECT id FROM t ORDER BY id") == left, place)
                }
            }
        }
    }

    @Test(
        "numbers with a fraction; NaN and infinity are no times",
        arguments: ["double precision", "numeric", "real", "numeric(20, 6)"])
    func fractions(type: String) throws {
        let database = try OwnedDatabase("CREATE TABLE t (id int PRIMARY KEY, at \(type))")
        let cutoff = Self.cutoff
        // A real has seven digits: 128 seconds here.
        let step = type == "real" ? 1_000.0 : 0.25
        let values =
            [
                "\(Double(cutoff) - step)", "\(Double(cutoff) - 86_400.5)", "\(Double(cutoff) + step)",
                "\(cutoff + 86_400)", "0",
                "-1", "'NaN'", "NULL", "9000000000000",
            ] + (type.hasSuffix("6)") ? [] : ["'Infinity'", "'-Infinity'"])
        let rows = values.enumerated().map { "(\($0), \($1))" }.joined(separator: ", ")
        try database.psql("INSERT INTO t VALUES \(rows)")
        try database.psql("INSERT INTO t SELECT i + 100, \(cutoff + 90_000) FROM generate_series(1, 50) i")
        let report = try database.outcome(rule(TimeFormat(.realSeconds)))
        #expect(report.outcome == .done && report.deleted == 2, "\(report)")
        #expect(report.keptImplausible == Int64(values.count - 4))
        #expect(try database.psql("SELECT min(id) FROM t") == "2")
    }

    @Test("a column that cannot hold a time of today loses nothing", arguments: ["smallint", "integer"])
    func narrow(type: String) throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at \(type)); CREATE INDEX ON t (at);
            INSERT INTO t SELECT i, i FROM generate_series(1, 1000) i
            """)
        for unit in TimeUnit.integers where type == "smallint" || unit != .seconds {
            for accessPath in AccessPath.allCases {
                let report = try database.outcome(rule(TimeFormat(unit)), accessPath: accessPath)
                #expect(report.outcome == .failed && report.deleted == 0, "\(unit) \(report)")
            }
        }
        // Values that are not sampled, as most are NULL.
        try database.psql("UPDATE t SET at = NULL")
        #expect(try database.outcome(rule(TimeFormat(.milliseconds))).deleted == 0)
        #expect(try database.psql("SELECT count(*) FROM t") == "1000")
    }

    @Test("a deadline that is NULL is never, and others go when they and the grace have passed")
    func deadline() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz);
            INSERT INTO t VALUES (1, '2026-11-18 11:59:59+00'), (2, '2026-11-18 12:00:00+00'), (3, NULL),
                (4, '2026-11-20 11:00:00+00'), (5, '-infinity'), (6, 'infinity'), (7, '2020-01-01')
            """)
        var rule = rule(TimeFormat())
        rule.expiry = .deadline(column: "at", grace: Span(2, .day))
        let report = try database.outcome(rule)
        #expect(report.deleted == 2 && report.keptImplausible == 2, "\(report)")
        rule.expiry = .deadline(column: "at", grace: nil)
        #expect(try database.outcome(rule).deleted == 2)
        #expect(try database.psql("SELECT id FROM t ORDER BY id") == "3\n5\n6")
    }
}
