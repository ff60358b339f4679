import Foundation
import Retention
import Testing

/// The bars of a table's times: few, of a width that a calendar knows, with the cutoff as an edge.
struct HistogramTests {
    private static let day: Int64 = 86_400

    /// A row a day for `days` days that end with `last`.
    private func daily(_ days: Int, to last: String) throws -> [TimeCount] {
        let end = try instant(last)
        return (0..<days).reversed().map {
            TimeCount(start: end.addingTimeInterval(-86_400 * Double($0)), rows: 1)
        }
    }

    @Test(
        "the narrowest width with at most 20 bars is taken",
        arguments: [
            (1, .days(1)), (20, .days(1)), (21, .days(2)), (40, .days(2)), (55, .days(3)), (75, .days(4)),
            (130, .days(7)),
            (270, .days(14)), (500, .months(1)), (1_000, .months(2)), (3_600, .months(6)),
            (3_800, .months(12)),
        ] as [(Int, BarWidth)])
    func width(days: Int, expected: BarWidth) throws {
        let counts = try daily(days, to: "2026-11-20T00:00:00Z")
        let histogram = Histogram(
            counts, grain: Self.day, cutoff: try instant("2026-11-20T00:00:00Z"), end: nil)
        #expect(histogram.width == expected)
        #expect(histogram.bars.count <= 21)
        #expect(histogram.bars.reduce(0) { $0 + $1.rows } == Int64(days))
    }

    @Test("old rows that stay are told apart in the bars before the cutoff")
    func staying() throws {
        let cutoff = try instant("2026-11-20T00:00:00Z")
        let counts = try daily(60, to: "2026-11-20T00:00:00Z")
        let bars = Histogram(
            counts, staying: Array(counts.prefix(10)), grain: Self.day, cutoff: cutoff, end: nil
        ).bars
        #expect(bars.reduce(0) { $0 + $1.staying } == 10)
        #expect(bars.allSatisfy { $0.staying <= $0.rows })
        #expect(bars.first.map { $0.staying == $0.rows && $0.rows > 0 } == true && bars.last?.staying == 0)
    }

    @Test("bars follow each other without a gap, and the cutoff is an edge, wherever it lies")
    func edges() throws {
        let counts = try daily(60, to: "2026-11-20T00:00:00Z")
        for text in ["2025-03-01T07:08:09Z", "2026-10-21T12:00:00Z", "2026-11-30T00:00:00Z"] {
            let cutoff = try instant(text)
            // As whoever counts does: no count is on both sides.
            let split = counts.flatMap { count -> [TimeCount] in
                guard count.start < cutoff, count.start.addingTimeInterval(86_400) > cutoff else {
                    return [count]
                }
                return [TimeCount(start: count.start, rows: 0), TimeCount(start: cutoff, rows: count.rows)]
            }
            let bars = Histogram(split, grain: Self.day, cutoff: cutoff, end: nil).bars
            #expect(zip(bars, bars.dropFirst()).allSatisfy { $0.to == $1.from && $0.to != nil })
            #expect(bars.contains { $0.to == cutoff } || bars.contains { $0.from == cutoff })
            let past = bars.filter { $0.to.map { $0 <= cutoff } ?? false }.reduce(0) { $0 + $1.rows }
            #expect(past == split.filter { $0.start < cutoff }.reduce(0) { $0 + $1.rows })
        }
    }

    @Test("a few rows that are far away get a line of their own, and many do not")
    func outliers() throws {
        let bulk = try daily(60, to: "2026-11-20T00:00:00Z").map { TimeCount(start: $0.start, rows: 100) }
        let cutoff = try instant("2026-10-21T00:00:00Z")
        let far = try instant("2001-01-01T00:00:00Z")
        let few = Histogram(
            [TimeCount(start: far, rows: 30)] + bulk, grain: Self.day, cutoff: cutoff, end: nil)
        #expect(few.width == .days(3) || few.width == .days(4))
        #expect(few.bars.first?.from == nil)
        #expect(few.bars.first?.rows == 30)
        let many = Histogram(
            [TimeCount(start: far, rows: 31)] + bulk, grain: Self.day, cutoff: cutoff, end: nil)
        #expect(many.width == .months(24))
        #expect(many.bars.first?.from != nil)
    }

    @Test("no time is too far away to be counted, nor the last that there is")
    func lastOfAll() throws {
        let counts = [
            TimeCount(start: try instant("2026-11-20T00:00:00Z"), rows: 5),
            TimeCount(start: Date(timeIntervalSince1970: 253_402_300_799), rows: 7),
        ]
        for end in [nil, try instant("2026-11-21T00:00:00Z")] {
            let bars = Histogram(
                counts, grain: Self.day, cutoff: try instant("2026-10-21T00:00:00Z"), end: end
            ).bars
            #expect(bars.reduce(0) { $0 + $1.rows } == 12)
        }
    }

    @Test("what is newer than the end has a line of its own")
    func future() throws {
        let now = try instant("2026-11-20T12:00:00Z")
        let counts =
            try daily(10, to: "2026-11-20T00:00:00Z") + [
                TimeCount(start: now, rows: 7), TimeCount(start: now.addingTimeInterval(90_000), rows: 2),
            ]
        let cutoff = try instant("2026-11-15T00:00:00Z")
        let bars = Histogram(counts, grain: Self.day, cutoff: cutoff, end: now).bars
        #expect(bars.last == Histogram.Bar(from: now, to: nil, rows: 9))
        #expect(bars.dropLast().last?.to == now)
        let deadlines = Histogram(counts, grain: Self.day, cutoff: cutoff, end: nil).bars
        #expect(deadlines.last?.to != nil)
    }

    @Test("bars are never narrower than what was counted")
    func grain() throws {
        let start = try instant("2026-11-20T00:00:00Z")
        let counts = [TimeCount(start: start, rows: 3)]
        for (grain, width) in [(60, .seconds(60)), (3_600, .seconds(3_600)), (86_400, .days(1))]
            as [(Int64, BarWidth)]
        {
            #expect(Histogram(counts, grain: grain, cutoff: start, end: nil).width == width)
        }
    }

    @Test("no rows make no bars")
    func empty() throws {
        #expect(Histogram([], grain: 60, cutoff: try instant("2026-11-20T00:00:00Z"), end: nil).bars.isEmpty)
    }

    @Test(
        "weeks begin on Mondays, and months on the first, also in a leap year",
        arguments: [
            (130, "2026-11-20T00:00:00Z", ["2026-07-13T00:00:00Z", "2026-07-20T00:00:00Z"]),
            (400, "2024-03-10T00:00:00Z", ["2023-02-01T00:00:00Z", "2023-03-01T00:00:00Z"]),
        ])
    func calendar(days: Int, last: String, first: [String]) throws {
        let bars = Histogram(
            try daily(days, to: last), grain: Self.day, cutoff: try instant(last), end: nil
        ).bars
        #expect(bars.prefix(2).map(\.from) == (try first.map(instant)))
    }
}
