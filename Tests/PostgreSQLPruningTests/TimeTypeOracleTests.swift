import Foundation
import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

/// Rows around clock changes, judged by Foundation's time zones: a local time stands for the latest instant that it can
/// mean, and a date for the end of its day.
@Suite("Times of PostgreSQL's own types, against an independent calculation")
struct TimeTypeOracleTests {
    /// A zone, and an instant at which its clocks change.
    struct Change: CustomTestStringConvertible, Sendable {
        let zone: String
        let at: String
        var testDescription: String { "\(zone), \(at)" }
    }

    static let changes = [
        Change(zone: "Europe/Berlin", at: "2025-03-30T01:00:00Z"),
        Change(zone: "Europe/Berlin", at: "2025-10-26T01:00:00Z"),
        Change(zone: "America/New_York", at: "2025-03-09T07:00:00Z"),
        Change(zone: "America/New_York", at: "2025-11-02T06:00:00Z"),
        Change(zone: "Australia/Lord_Howe", at: "2025-04-05T15:00:00Z"),
        Change(zone: "Australia/Lord_Howe", at: "2025-10-04T15:30:00Z"),
        // December 30, 2011 was skipped.
        Change(zone: "Pacific/Apia", at: "2011-12-30T10:00:00Z"),
        // The hour before midnight is skipped and repeated.
        Change(zone: "America/Scoresbysund", at: "2025-03-30T01:00:00Z"),
        Change(zone: "America/Scoresbysund", at: "2025-10-26T01:00:00Z"),
    ]

    /// Values that are no times of rows, in all types.
    private static let implausible = [
        "infinity", "-infinity", "4713-01-01 BC", "1999-12-31", "10000-01-01", "294276-12-31",
    ]

    @Test("exactly the rows are old whose latest instant is before the cutoff", arguments: changes)
    func clockChange(change: Change) throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE instants (id int PRIMARY KEY, at timestamptz);
            CREATE TABLE readings (id int PRIMARY KEY, at timestamp(6));
            CREATE TABLE days (id int PRIMARY KEY, at date);
            """)
        let zone = try #require(TimeZone(identifier: change.zone))
        let middle = try Date(change.at, strategy: .iso8601).timeIntervalSince1970
        var generator = SeededGenerator(seed: UInt64(middle))
        // Readings as if they were of UTC: all quarters of an hour near the change, and others.
        let near = middle + Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: middle)))
        let readings = (-120...120).flatMap { quarter in
            [0, Double.random(in: 1..<900, using: &generator).rounded()].map {
                near + Double(quarter) * 900 + $0
            }
        }
        let days = (-4...4).map { ((near / 86_400).rounded(.down) + Double($0)) * 86_400 }
        let app = try database.app()
        try app.execute(insert(readings, into: "instants") + insert(readings, into: "readings"))
        try app.execute(insert(days, into: "days"))
        for table in ["instants", "readings", "days"] {
            let values = Self.implausible.map { "'\($0)'" } + ["NULL"]
            try app.execute(
                values.enumerated().map { "INSERT INTO \(table) VALUES (\(-1 - $0), \($1));" }.joined())
        }
        let ends = [
            "instants": readings, "readings": readings.map { latest($0, in: zone) },
            "days": days.map { latest($0 + 86_399, in: zone) + 0.999 },
        ]
        let cutoffs =
            (-14...14).map { middle + Double($0) * 600 } + (-60...60).map { middle + Double($0) * 1_800 }
        try database.transaction { connection in
            for (table, ends) in ends {
                let bound = try BoundRule(rule(table, change.zone), in: connection)
                for cutoff in cutoffs + [middle - 1, middle + 1] {
                    let start = Date(timeIntervalSince1970: cutoff + 30 * 86_400)
                    let condition = ExpiryCondition(
                        bound: bound, task: PruneTask(bound.rule, start: start, in: .gmt))
                    let found = try connection.query(
                        "SELECT id \(condition.from()) WHERE \(condition.expired) ORDER BY id")
                    let expected = ends.indices.filter { ends[$0] < cutoff }
                    #expect(
                        found.rows.compactMap { $0[0].flatMap { Int($0) } } == expected,
                        "\(table), cutoff \(Date(timeIntervalSince1970: cutoff))")
                }
            }
        }
        let now = Date(timeIntervalSince1970: middle + 30 * 86_400 + 60)
        for (table, ends) in ends {
            let report = try database.outcome(rule(table, change.zone), at: now)
            #expect(report.outcome == .done, "\(report)")
            let expired = ends.count { $0 < middle + 60 }
            #expect(report.deleted == Int64(expired) && report.keptImplausible == 7, "\(table) \(report)")
            #expect(
                try app.integers("SELECT count(*) FROM \(table)") == [ends.count - expired + 7], "\(table)")
        }
    }

    private func rule(_ table: String, _ zone: String) -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            time: TimeFormat(zone: table == "instants" ? nil : Zone(identifier: zone)),
            holdLimits: .noneAtAll)
    }

    private func insert(_ readings: [Double], into table: String) -> String {
        let zone = table == "instants" ? "" : " AT TIME ZONE 'UTC'"
        let rows = readings.enumerated().map {
            "(\($0), (to_timestamp(\($1))\(zone))::\(Self.types[table] ?? "date"))"
        }
        return "INSERT INTO \(table) VALUES \(rows.joined(separator: ", "));"
    }

    private static let types = ["instants": "timestamptz", "readings": "timestamp"]

    /// The latest instant at which clocks show `reading`, or, if they skipped it, the latest that it can mean.
    private func latest(_ reading: Double, in zone: TimeZone) -> Double {
        let offsets = [-100_000.0, 100_000].map {
            Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: reading + $0)))
        }
        let shown = offsets.filter {
            Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: reading - $0))) == $0
        }
        return reading - ((shown.isEmpty ? offsets : shown).min() ?? 0)
    }
}
