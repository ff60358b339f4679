import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// How old a table's rows are: what the view context counts, against what SQL says plainly.
struct AgesTests {
    /// A table that is found in another way.
    struct Layout: CustomTestStringConvertible, Sendable {
        let columns: String
        let options: String
        let index: String
        var testDescription: String { "\(columns) \(options), \(index)" }

        static let all = ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"].flatMap { key in
            ["", "STRICT", "STRICT, WITHOUT ROWID"].flatMap { options in
                [
                    "", "CREATE INDEX i ON t (at);", "CREATE INDEX i ON t (at / 86400);",
                    "CREATE INDEX i ON t (at / 86400, id, at);",
                ].map { Layout(columns: key + ", at INTEGER", options: options, index: $0) }
            }
        }

        var schema: String { "CREATE TABLE t (\(columns)) \(options); \(index)" }
        var isStrict: Bool { options.hasPrefix("STRICT") }
    }

    /// Times about the cutoff and the run's start, and what is none.
    private func fill(_ layout: Layout) -> String {
        let start = Int64(runStart.timeIntervalSince1970)
        let day: Int64 = 86_400
        var values = [cutoff - 1, cutoff, cutoff + 1, start, start + 1, start + 40 * day, 946_684_800, 0, 1]
            .map(String.init)
        values += ["NULL", "253402300799", "253402300800", "-1", "1795176000000"]
        if !layout.isStrict { values += ["'text'", "1.5", "\(cutoff - 5).5", "x'00'"] }
        let first = cutoff - 20 * day
        values += (0..<200).map { (row: Int64) -> String in String(first + row * 17_000) }
        let rows = values.enumerated().map { "(\($0), \($1))" }
        return "INSERT INTO t VALUES \(rows.joined(separator: ", "));"
    }

    private func ages(_ app: TemporaryStore, _ task: PruneTask) throws -> AgeProfile {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        return try view.ages(of: task)
    }

    private func census(_ app: TemporaryStore, _ task: PruneTask) throws -> Census {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        return try view.census(of: task)
    }

    private static let plausible = "typeof(at) = 'integer' AND at BETWEEN 946684800 AND 253402300799"

    /// Compares everything with an independent count.
    private func expectRight(_ app: TemporaryStore, _ task: PruneTask, gone: String = "0") throws {
        let ages = try ages(app, task)
        #expect(ages.census == (try census(app, task)))
        let odd = try app.integers(
            "SELECT count(*) FROM t WHERE NOT (\(gone)) AND at IS NOT NULL AND NOT (\(Self.plausible))")
        let empty = try app.integers("SELECT count(*) FROM t WHERE NOT (\(gone)) AND at IS NULL")[0]
        var isDeadline = false
        if case .deadline = task.rule.expiry { isDeadline = true }
        #expect(ages.census.implausible == odd[0] + (isDeadline ? 0 : empty))
        #expect(ages.never == (isDeadline ? empty : 0))
        #expect(ages.rows == (try app.integers("SELECT count(*) FROM t WHERE NOT (\(gone))").first))
        let times = try app.integers(
            "SELECT at FROM t WHERE \(Self.plausible) AND NOT (\(gone)) ORDER BY at")
        #expect(ages.counts.allSatisfy { $0.rows > 0 })
        #expect(
            ages.staying.reduce(0) { $0 + $1.rows } == ages.stay.rows.values.reduce(0, +),
            "what stays by its reasons, and by its times")
        let starts = ages.counts.map { Int64($0.start.timeIntervalSince1970) }
        #expect(starts == starts.sorted() && Set(starts).count == starts.count)
        let ends = starts.dropFirst() + [Int64.max]
        for (index, (from, to)) in zip(starts, ends).enumerated() {
            let expected = times.filter { $0 >= from && $0 < to }.count
            #expect(ages.counts[index].rows == Int64(expected), "from \(from)")
        }
        for edge in [Int64(task.cutoff.timeIntervalSince1970), Int64(task.future.timeIntervalSince1970)] {
            let before = zip(starts, ages.counts).filter { $0.0 < edge }.reduce(0) { $0 + $1.1.rows }
            #expect(before == Int64(times.filter { $0 < edge }.count), "none is counted across \(edge)")
        }
    }

    @Test("with each kind of index and without, the counts are those of the rows", arguments: Layout.all)
    func counts(layout: Layout) throws {
        let app = try TemporaryStore(layout.schema + fill(layout))
        let task = PruneTask(.old(), start: runStart, in: .gmt)
        try expectRight(app, task)
        let ages = try ages(app, task)
        let first = Date(timeIntervalSince1970: 946_684_800)
        #expect(ages.oldestExpired == first)
        #expect(ages.newestExpired == Date(timeIntervalSince1970: TimeInterval(old)))
        #expect(ages.next == task.cutoff)
    }

    @Test(
        "a row without a deadline never expires: it is no odd row, with each kind of index and without",
        arguments: Layout.all, [nil, 5])
    func deadlines(layout: Layout, keepLast: Int64?) throws {
        let app = try TemporaryStore(layout.schema + fill(layout))
        try app.execute("INSERT INTO t VALUES (1001, NULL), (1002, NULL);")
        let rule = RetentionRule(
            name: "gone", store: "s", table: "t", expiry: .deadline(column: "at", grace: nil),
            keepLast: keepLast, holdLimits: .noneAtAll)
        let task = PruneTask(rule, start: runStart, in: .gmt)
        try expectRight(app, task)
        let (before, odd) = (try app.integers("SELECT count(*) FROM t")[0], try census(app, task).implausible)
        let report = app.outcome(rule)
        #expect(report.outcome == .done && report.keptImplausible == odd, "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t") == [before - report.deleted])
        #expect(try app.integers("SELECT count(*) FROM t WHERE at IS NULL") == [3])
    }

    @Test(
        "with each kind of index and without, the newest times are those of the rows", arguments: Layout.all)
    func newest(layout: Layout) throws {
        let app = try TemporaryStore(layout.schema + fill(layout))
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        for limit in [946_684_799, 946_684_800, cutoff - 1, cutoff, fresh, 253_402_300_799] as [Int64] {
            let date = Date(timeIntervalSince1970: TimeInterval(limit))
            let newest = try view.newestTimes(3, of: .old(), notAfter: date)
            let expected = try app.integers(
                "SELECT at FROM t WHERE \(Self.plausible) AND at <= \(limit) ORDER BY at DESC LIMIT 3")
            #expect(newest.map { Int64($0.timeIntervalSince1970) } == expected, "not after \(limit)")
        }
    }

    @Test(
        "rows of some minutes are counted by the minute, and those of years by the day",
        arguments: ["", "CREATE INDEX i ON t (at);"])
    func grain(index: String) throws {
        for (step, grain) in [(60, 60), (86_400, 86_400)] as [(Int64, Int64)] {
            let first = cutoff - 50 * step
            let rows = (0..<100).map { (row: Int64) -> String in "(\(first + row * step))" }
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT; \(index)
                INSERT INTO t (at) VALUES \(rows.joined(separator: ", "));
                """)
            let task = PruneTask(.old(), start: runStart, in: .gmt)
            #expect(try ages(app, task).grain == grain)
            try expectRight(app, task)
        }
    }

    @Test(
        "other units are counted as well, to the end of what they can say",
        arguments: [TimeUnit.milliseconds, .microseconds, .nanoseconds],
        ["", "CREATE INDEX i ON t (at);"])
    func units(unit: TimeUnit, index: String) throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT;" + index
                + "INSERT INTO t (at) VALUES (\(old * unit.perSecond)), (\(cutoff * unit.perSecond - 1)),"
                + " (\(cutoff * unit.perSecond)), (\(unit.plausible.upperBound));")
        let ages = try ages(app, PruneTask(.old(unit: unit), start: runStart, in: .gmt))
        #expect(ages.census == Census(expired: 2, implausible: 0))
        #expect(ages.counts.map(\.rows) == [2, 1, 1])
        #expect(ages.next == Date(timeIntervalSince1970: TimeInterval(cutoff)))
    }

    @Test("an empty table has no ages", arguments: ["", "CREATE INDEX i ON t (at);"])
    func empty(index: String) throws {
        let app = try TemporaryStore("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);" + index)
        let ages = try ages(app, PruneTask(.old(), start: runStart, in: .gmt))
        #expect(ages.rows == 0 && ages.counts.isEmpty)
        #expect(ages.oldestExpired == nil && ages.newestExpired == nil && ages.next == nil)
    }

    @Test(
        "the newest rows that a rule keeps are not expired, and never the next to expire",
        arguments: ["", "CREATE INDEX i ON t (at);", "CREATE INDEX i ON t (at / 86400);"])
    func keepLast(index: String) throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT;" + index
                + "INSERT INTO t (at) VALUES (\(old - 9)), (\(old - 8)), (\(old)), (\(fresh)), (\(fresh + 9));"
        )
        for (count, expired, newest, next) in [
            (1, 3, old, fresh), (2, 3, old, nil), (3, 2, old - 8, nil), (5, 0, nil, nil), (6, 0, nil, nil),
        ] as [(Int64, Int64, Int64?, Int64?)] {
            var rule = RetentionRule.old()
            rule.keepLast = count
            let ages = try ages(app, PruneTask(rule, start: runStart, in: .gmt))
            #expect(ages.census.expired == expired)
            #expect(ages.newestExpired.map { Int64($0.timeIntervalSince1970) } == newest)
            #expect(ages.next.map { Int64($0.timeIntervalSince1970) } == next, "keep_last = \(count)")
        }
    }

    @Test("what a keeper keeps is not among the oldest and the newest that expire")
    func keeper() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT; CREATE INDEX i ON t (at);
            CREATE TABLE k (id INTEGER PRIMARY KEY);
            INSERT INTO t VALUES (1, \(old - 9)), (2, \(old - 8)), (3, \(old - 7)), (4, \(old));
            INSERT INTO k VALUES (1), (4);
            """)
        let rule = RetentionRule.old(keptBy: ColumnReference(table: "k", column: "id"))
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let ages = try ages(app, task)
        #expect(ages.census.expired == 2)
        #expect(ages.oldestExpired == Date(timeIntervalSince1970: TimeInterval(old - 8)))
        #expect(ages.newestExpired == Date(timeIntervalSince1970: TimeInterval(old - 7)))
        #expect(ages.stay[.keptBy] == 2 && ages.stay[.leased] == 0 && ages.stay[.newest] == 0)
        try expectRight(app, task)
    }

    @Test("rows that an earlier rule of the run takes are there no more", arguments: Layout.all)
    func presumedDone(layout: Layout) throws {
        let app = try TemporaryStore(layout.schema + fill(layout))
        var older = RetentionRule.old(name: "older")
        older.expiry = .age(column: "at", keep: Span(40, .day))
        let first = PruneTask(older, start: runStart, in: .gmt)
        let task = PruneTask(.old(), start: runStart, in: .gmt, presumedDone: [first])
        try expectRight(
            app, task, gone: "\(Self.plausible) AND at < \(Int64(first.cutoff.timeIntervalSince1970))")
    }

    @Test(
        "a time that is none is not the next to expire",
        arguments: ["", "CREATE INDEX i ON t (at);", "CREATE INDEX i ON t (at / 86400);"])
    func nextIsPlausible(index: String) throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT; \(index) INSERT INTO t VALUES (1, 852076800), (2, \(old));"
        )
        var rule = RetentionRule.old()
        rule.expiry = .age(column: "at", keep: Span(30, .year))
        let ages = try ages(app, PruneTask(rule, start: runStart, in: .gmt))
        #expect(ages.census == Census(expired: 0, implausible: 1))
        #expect(ages.next == Date(timeIntervalSince1970: TimeInterval(old)))
    }

    @Test("nanoseconds are rounded down, and never to the cutoff")
    func nanoseconds() throws {
        let app = try TemporaryStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, \(cutoff)000000000 - 1);"
        )
        let ages = try ages(app, PruneTask(.old(unit: .nanoseconds), start: runStart, in: .gmt))
        #expect(ages.newestExpired == Date(timeIntervalSince1970: TimeInterval(old)))
    }
}
