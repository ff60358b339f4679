import Foundation
import GRDB
import Pruning
import Retention
import TestSupport
import Testing

/// A table with random rows, and what must be left of them.
struct OracleSample {
    let night: OracleTests.Night
    let unit: TimeUnit
    let perSecond: Int64
    let table: OracleTests.Table
    let index: OracleTests.Index
    /// How many of the rows with an ordinary time are expired.
    let expiredShare: Double
    /// How the rows are to be found; nil: as the numbers advise.
    var accessPath: AccessPath?
    /// How many of the newest rows are to stay.
    var keepLast: Int64?

    private func seconds(_ text: String) throws -> Int64 {
        try Int64(Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    private func value(_ text: String) throws -> Int64 { try seconds(text) * perSecond }

    /// The last value that can be a time; an integer of 64 bits has no room for all of the year 9999 in nanoseconds.
    private var last: Int64 {
        get throws {
            perSecond == 1_000_000_000 ? .max : try value("9999-12-31T23:59:59Z") + perSecond - 1
        }
    }

    func check(rows: Int, using generator: inout SeededGenerator, seed: UInt64) throws {
        let app = try TemporaryStore("CREATE TABLE t (\(table.columns)) \(table.options);")
        try app.open { db in
            switch index {
            case .none: break
            case .exact: try db.execute(sql: "CREATE INDEX i ON t (at)")
            case .byDay: try db.execute(sql: "CREATE INDEX i ON t (at / \(86_400 * perSecond))")
            case .partial: try db.execute(sql: "CREATE INDEX i ON t (at) WHERE n % 2 = 0")
            }
            try db.inTransaction {
                try fill(db, rows: rows, using: &generator)
                return .commit
            }
        }
        let expected = try judge(app)
        let place: Comment =
            """
            seed \(seed): \(night), \(unit), \(table), index \(index), \(expiredShare), accessPath \(accessPath?.rawValue ?? "advised"), \
            keep \(keepLast ?? 0)
            """
        let rule = RetentionRule(
            name: "old", store: "s", table: "t",
            expiry: .age(column: "at", keep: try Span(parsing: night.keep)),
            time: TimeFormat(unit), keepLast: keepLast, holdLimits: .noneAtAll)
        let zone = try #require(Zone(identifier: night.zone))
        let report = try PruneRun.report(
            [rule], on: [app.store], at: Date(night.start, strategy: .iso8601), timeZone: zone,
            accessPath: accessPath
        ).rules[0]

        #expect(try app.integers("SELECT n FROM t ORDER BY n") == expected.survivors, place)
        #expect(report.outcome == (expected.isRefused ? .failed : .done), place)
        if expected.isRefused { return }
        #expect(report.cutoff.iso8601 == night.cutoff, place)
        #expect(report.expired == expected.expired, place)
        #expect(report.deleted == expected.expired, place)
        #expect(report.keptImplausible == expected.implausible, place)
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"], place)
        if let accessPath, expected.expired > 0, index == .exact || index == .byDay {
            #expect(report.accessPath == accessPath, place)
        }
    }

    /// What a run must leave.
    private struct Expectation {
        var survivors: [Int64] = []
        var expired: Int64 = 0
        var implausible: Int64 = 0
        /// The column holds no times at all.
        var isRefused = false
    }

    /// What is stored is judged, not what was given: a column's type may have changed it.
    private func judge(_ app: TemporaryStore) throws -> Expectation {
        let (first, last) = try (value("2000-01-01T00:00:00Z"), last)
        var expected = Expectation()
        var times: [(n: Int64, time: Int64)] = []
        try app.open { db in
            for row in try Row.fetchAll(db, sql: "SELECT n, at FROM t ORDER BY n") {
                let time: DatabaseValue = row[1]
                if case .int64(let value) = time.storage, value >= first, value <= last {
                    times.append((row[0], value))
                } else {
                    expected.implausible += 1
                    expected.survivors.append(row[0])
                }
            }
        }
        expected.isRefused = times.isEmpty && expected.implausible > 0
        // Rows ahead of the run's start are not the newest.
        let present = try value(night.start) + perSecond - 1
        let past = times.map(\.time).filter { $0 <= present }.sorted(by: >)
        let newest = keepLast.map { past.dropFirst(Int($0) - 1).first ?? first }
        let cutoff = try min(value(night.cutoff), newest ?? .max)
        expected.survivors = (expected.survivors + times.filter { $0.time >= cutoff }.map(\.n)).sorted()
        expected.expired = Int64(times.count { $0.time < cutoff })
        return expected
    }

    private func fill(_ db: Database, rows: Int, using generator: inout SeededGenerator) throws {
        let insert = try db.makeStatement(
            sql: "INSERT INTO t (n, k, at) VALUES (:n, iif(:text, CAST(:k AS TEXT), :k), :at)")
        var inserted = 0
        for number in (1...rows).shuffled(using: &generator) {
            let (key, isText) = key(number, using: &generator)
            let time = try time(using: &generator)
            do {
                try insert.execute(arguments: ["n": number, "text": isText, "k": key, "at": time])
                inserted += 1
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A STRICT, NOT NULL or key column refuses some kinds.
            }
        }
        #expect(inserted > rows / 2)
    }

    /// A key that no other number has, and whether it is to be stored as text: in any case of letters, with bytes that
    /// are not UTF-8, with a NUL; or another kind of value.
    private func key(_ number: Int, using generator: inout SeededGenerator) -> (DatabaseValue, isText: Bool) {
        let digits = Array("\(number)".utf8)
        let isStrictText = table.options == "STRICT"
        switch Int.random(in: 0..<(isStrictText ? 6 : 9), using: &generator) {
        case 0: return (Data(Array("K".utf8) + digits).databaseValue, true)
        case 1: return (Data(Array("k".utf8) + digits).databaseValue, true)
        case 2: return (Data([0xFF, 0xC3] + digits + [0x80]).databaseValue, true)
        case 3: return (Data(Array("a".utf8) + [0] + digits).databaseValue, true)
        case 4: return (Data([0] + digits).databaseValue, true)
        case 5: return (Data(digits).databaseValue, true)
        case 6: return (Data([0x7F] + digits).databaseValue, false)
        case 7: return ((1_000_000 + number).databaseValue, false)
        default: return ((Double(number) + 0.25).databaseValue, false)
        }
    }

    private func time(using generator: inout SeededGenerator) throws -> DatabaseValue {
        let cutoff = try value(night.cutoff)
        let (first, last) = try (value("2000-01-01T00:00:00Z"), last)
        let day = 86_400 * perSecond
        if Int.random(in: 0..<10, using: &generator) < 7 {
            let isExpired = Double.random(in: 0..<1, using: &generator) < expiredShare
            let distance = Int64.random(in: 0..<(60 * day), using: &generator)
            return (isExpired ? cutoff - 1 - distance : cutoff + distance).databaseValue
        }
        let near = cutoff + Int64.random(in: -day...day, using: &generator)
        let kinds: [DatabaseValue] = [
            cutoff.databaseValue, (cutoff - 1).databaseValue, (cutoff + 1).databaseValue,
            (cutoff - perSecond).databaseValue, (cutoff + perSecond).databaseValue,
            .null, "yesterday".databaseValue, "".databaseValue, "2020-01-01".databaseValue,
            "\(cutoff - day)".databaseValue, " \(cutoff - day) ".databaseValue,
            "\(cutoff - day).5".databaseValue,
            Data("\(cutoff - day)".utf8).databaseValue, Data().databaseValue,
            (Double(cutoff - day) + 0.5).databaseValue, Double(cutoff - day).databaseValue,
            Double.infinity.databaseValue, (-Double.infinity).databaseValue, 1e300.databaseValue,
            near.multipliedReportingOverflow(by: 1_000).partialValue.databaseValue,
            (near / 1_000).databaseValue,
            (-near).databaseValue, 0.databaseValue, 1.databaseValue, (-1).databaseValue,
            Int64.min.databaseValue, Int64.max.databaseValue, (Int64.max - 1).databaseValue,
            first.databaseValue, (first - 1).databaseValue, last.databaseValue, (last &+ 1).databaseValue,
            (cutoff + 3_000 * day).databaseValue,
        ]
        return kinds[Int.random(in: kinds.indices, using: &generator)]
    }
}
