import Foundation
import GRDB
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Random rows of every kind in tables of every kind, judged by a calculation of its own.
///
/// The oracle shares nothing with the sources: its cutoffs are written down as UTC times, its bounds as dates, and it
/// judges values as Swift numbers.
struct OracleTests {
    /// A run's start and what it keeps, with the cutoff as `zdump` of the zone gives it.
    struct Night: CustomTestStringConvertible, Sendable {
        let zone: String
        let start: String
        let keep: String
        let cutoff: String
        var testDescription: String { "\(zone), \(start) less \(keep)" }
    }

    static let nights = [
        // Winter time began on October 25 at 01:00 UTC: the 30 days have an hour more.
        Night(
            zone: "Europe/Berlin", start: "2026-11-20T12:00:00Z", keep: "30d", cutoff: "2026-10-21T11:00:00Z"),
        // 02:30 on March 29 was skipped: the earliest instant that it can mean is 01:30 by winter time.
        Night(
            zone: "Europe/Berlin", start: "2026-04-28T00:30:00Z", keep: "30d", cutoff: "2026-03-29T00:30:00Z"),
        // 01:30 on November 1 came twice: the first is meant.
        Night(
            zone: "America/New_York", start: "2026-12-01T06:30:00Z", keep: "30d",
            cutoff: "2026-11-01T05:30:00Z"),
        Night(
            zone: "America/New_York", start: "2026-04-06T12:00:00Z", keep: "30d 1h",
            cutoff: "2026-03-07T12:00:00Z"),
        // Half an hour of summer time.
        Night(
            zone: "Australia/Lord_Howe", start: "2026-05-04T01:30:00Z", keep: "30d",
            cutoff: "2026-04-04T01:00:00Z"),
        // There was no December 30, 2011 in Apia: 14:00 on it is the same instant as 14:00 on the 29th.
        Night(
            zone: "Pacific/Apia", start: "2012-01-29T00:00:00Z", keep: "30d", cutoff: "2011-12-30T00:00:00Z"),
        Night(
            zone: "Pacific/Apia", start: "2012-01-29T00:00:00Z", keep: "31d", cutoff: "2011-12-30T00:00:00Z"),
        Night(zone: "UTC", start: "2026-11-20T12:00:00Z", keep: "6month", cutoff: "2026-05-20T12:00:00Z"),
    ]

    /// How many values of a column make a second.
    static let units: [(unit: TimeUnit, perSecond: Int64)] = [
        (.seconds, 1), (.milliseconds, 1_000), (.microseconds, 1_000_000), (.nanoseconds, 1_000_000_000),
    ]

    enum Index: CaseIterable { case none, exact, byDay, partial }

    struct Table: CustomTestStringConvertible, Sendable {
        let columns: String
        let options: String
        /// Two columns of the key, or the rowid.
        let key: String
        var testDescription: String { "(\(columns)) \(options)" }
    }

    static let tables =
        ["INTEGER", "TEXT", "NUMERIC", "", "REAL", "BLOB", "BIGINT NOT NULL DEFAULT 0"].map {
            Table(columns: "n INTEGER PRIMARY KEY, k, at \($0)", options: "", key: "n")
        } + [
            Table(columns: "n INTEGER, k, at", options: "", key: "rowid"),
            Table(columns: "n INTEGER PRIMARY KEY DESC, k, at INTEGER", options: "", key: "n"),
            Table(columns: "n INTEGER, k TEXT PRIMARY KEY, at INTEGER", options: "WITHOUT ROWID", key: "k"),
            Table(
                columns: "n INTEGER, k TEXT PRIMARY KEY COLLATE NOCASE, at", options: "WITHOUT ROWID",
                key: "k"),
            Table(columns: "n INTEGER, k, at, PRIMARY KEY (k, n)", options: "WITHOUT ROWID", key: "k, n"),
            Table(
                columns: "n, k TEXT, at, PRIMARY KEY (k COLLATE NOCASE DESC, n)", options: "WITHOUT ROWID",
                key: "k"),
            Table(columns: "at, n, k, PRIMARY KEY (at, n)", options: "WITHOUT ROWID", key: "at, n"),
            Table(columns: "n INTEGER PRIMARY KEY, k TEXT, at INTEGER", options: "STRICT", key: "n"),
            Table(
                columns: "n INT, k ANY, at ANY, PRIMARY KEY (k, n)", options: "STRICT, WITHOUT ROWID",
                key: "k"),
        ]

    static let cases = nights.indices.flatMap { night in
        units.indices.map { (night, $0) }
    }

    @Test(
        "the survivors of 10,000 random rows are those that an independent calculation gives",
        arguments: cases)
    func survivors(night: Int, unit: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        // Every table and every index stands in some case; each case has 10,000 rows in all.
        let combinations = Self.tables.flatMap { table in Index.allCases.map { (table, $0) } }
        let chosen = combinations.shuffled(using: &generator).prefix(10)
        for (number, (table, index)) in chosen.enumerated() {
            let sample = OracleSample(
                night: Self.nights[night], unit: Self.units[unit].unit, perSecond: Self.units[unit].perSecond,
                table: table, index: index, expiredShare: number.isMultiple(of: 2) ? 0.03 : 0.5,
                accessPath: [nil, .walk, .index][number % 3],
                keepLast: [nil, 1, 450, 700, 10_000][Int.random(in: 0..<5, using: &generator)])
            try sample.check(rows: 1_000, using: &generator, seed: seed)
        }
    }

    @Test("every kind of table and index is judged alike", arguments: tables, Index.allCases)
    func everyTable(table: Table, index: Index) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for expiredShare in [0.02, 0.6] {
            for accessPath in [nil, AccessPath.walk, .index] {
                let sample = OracleSample(
                    night: Self.nights[0], unit: .seconds, perSecond: 1, table: table, index: index,
                    expiredShare: expiredShare, accessPath: accessPath,
                    keepLast: Bool.random(using: &generator) ? nil : .random(in: 1...300, using: &generator))
                try sample.check(rows: 300, using: &generator, seed: seed)
            }
        }
    }
}
