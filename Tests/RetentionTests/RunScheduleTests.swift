import Foundation
import Retention
import Testing

struct RunScheduleTests {
    @Test(
        "a rule is due every so long after its last run, at once if that has passed",
        arguments: [
            (nil, "2026-11-20T12:00:00Z"),
            ("2026-11-20T11:59:00Z", "2026-11-21T11:59:00Z"),
            ("2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z"),
            ("2026-11-19T12:00:00Z", "2026-11-20T12:00:00Z"),
            ("2026-11-01T12:00:00Z", "2026-11-20T12:00:00Z"),
            ("2026-11-20T12:01:00Z", "2026-11-21T12:01:00Z"),
        ] as [(String?, String)])
    func due(lastRun: String?, due: String) throws {
        let last = try lastRun.map(instant)
        let now = try instant("2026-11-20T12:00:00Z")
        #expect(try RunSchedule.due(every: Span(1, .day), lastRun: last, now: now, in: .gmt) == instant(due))
    }

    @Test(
        "a last run in the future counts as none",
        arguments: ["2026-11-20T12:01:01Z", "2040-01-01T00:00:00Z"])
    func futureRuns(lastRun: String) throws {
        let now = try instant("2026-11-20T12:00:00Z")
        let due = try RunSchedule.due(every: Span(1, .day), lastRun: instant(lastRun), now: now, in: .gmt)
        #expect(due == now)
    }

    @Test("a daily rule runs at the same time of day over a clock change")
    func clockChange() throws {
        let last = try instant("2026-03-28T11:00:00Z")
        let due = try RunSchedule.due(
            every: Span(1, .day), lastRun: last, now: last, in: zone("Europe/Berlin"))
        #expect(try due == instant("2026-03-29T10:00:00Z"))
    }

    /// A rule with hours, of Berlin.
    private func rule(_ hours: String, every: Span = Span(1, .day)) throws -> RetentionRule {
        var rule = RetentionRule(
            name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)), every: every)
        rule.between = try DailyHours(parsing: hours)
        return rule
    }

    @Test(
        "a rule with hours is due in these, once in each where its interval is a day",
        arguments: [
            (nil, "2026-11-20T12:00:00Z", "2026-11-21T01:00:00Z"),
            (nil, "2026-11-20T02:30:00Z", "2026-11-20T02:30:00Z"),
            ("2026-11-20T01:00:01Z", "2026-11-20T01:00:05Z", "2026-11-21T01:00:00Z"),
            ("2026-11-20T03:59:00Z", "2026-11-20T04:00:00Z", "2026-11-21T01:00:00Z"),
            ("2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z", "2026-11-21T01:00:00Z"),
            ("2026-11-12T01:00:00Z", "2026-11-20T12:00:00Z", "2026-11-21T01:00:00Z"),
            ("2026-11-19T01:00:00Z", "2026-11-20T03:59:00Z", "2026-11-20T03:59:00Z"),
            ("2026-11-19T01:00:00Z", "2026-11-20T04:00:00Z", "2026-11-21T01:00:00Z"),
        ] as [(String?, String, String)])
    func hours(lastRun: String?, now: String, due: String) throws {
        let found = try RunSchedule.due(
            of: rule("02:00-05:00"), lastRun: lastRun.map(instant), now: instant(now),
            in: zone("Europe/Berlin"))
        #expect(try found == instant(due))
    }

    @Test("a rule of an hour runs each hour of its hours")
    func hourly() throws {
        let hourly = try rule("02:00-05:00", every: Span(1, .hour))
        for (last, due) in [("01:10", "20T02:10"), ("02:10", "20T03:10"), ("03:10", "21T01:00")] {
            let last = try instant("2026-11-20T\(last):00Z")
            let found = try RunSchedule.due(of: hourly, lastRun: last, now: last, in: zone("Europe/Berlin"))
            #expect(try found == instant("2026-11-\(due):00Z"))
        }
    }

    @Test(
        "what met a limit of its time goes on after its interval, and at the latest in its next hours",
        arguments: [
            ("02:00-05:00", Span(1, .day), "20T04:00", "21T01:00"),
            ("02:00-05:00", Span(7, .day), "20T04:00", "21T01:00"),
            ("02:00-05:00", Span(7, .day), "20T01:20", "21T01:00"),
            ("02:00-05:00", Span(1, .hour), "20T01:20", "20T02:00"),
            ("02:00-05:00", Span(1, .hour), "20T04:00", "21T01:00"),
            (nil, Span(1, .day), "20T01:20", "21T01:00"),
        ] as [(String?, Span, String, String)])
    func turn(hours: String?, every: Span, end: String, next: String) throws {
        var rule = try rule(hours ?? "00:00-24:00", every: every)
        if hours == nil { rule.between = nil }
        let found = try RunSchedule.turn(
            of: rule, after: instant("2026-11-20T01:00:00Z"), until: instant("2026-11-\(end):00Z"),
            in: zone("Europe/Berlin"))
        #expect(try found == instant("2026-11-\(next):00Z"))
    }

    @Test(
        "the leeway is a tenth of the interval, at most a minute",
        arguments: [
            (Span(1, .second), 0.1), (Span(5, .minute), 30), (Span(10, .minute), 60), (Span(1, .day), 60),
        ]
            as [(Span, TimeInterval)])
    func leeway(every: Span, seconds: Double) {
        #expect(RunSchedule.leeway(every: every) == seconds)
    }
}
