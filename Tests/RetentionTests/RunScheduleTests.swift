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
