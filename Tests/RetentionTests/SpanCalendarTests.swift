import Foundation
import Retention
import Testing

struct SpanCalendarTests {
    @Test(
        "a calendar span keeps the time of day, whatever the clocks did in between",
        arguments: [
            ("Europe/Berlin", "30d", "2026-04-10T10:00:00Z", "2026-03-11T11:00:00Z"),
            ("Europe/Berlin", "30d", "2026-11-20T11:00:00Z", "2026-10-21T10:00:00Z"),
            ("Europe/Berlin", "1w", "2026-03-31T22:30:00Z", "2026-03-24T23:30:00Z"),
            ("America/New_York", "30d", "2026-04-01T16:00:00Z", "2026-03-02T17:00:00Z"),
            ("America/New_York", "30d", "2026-11-20T17:00:00Z", "2026-10-21T16:00:00Z"),
            ("Europe/Berlin", "1month", "2026-04-11T10:00:00Z", "2026-03-11T11:00:00Z"),
            ("UTC", "30d", "2026-04-10T10:00:00Z", "2026-03-11T10:00:00Z"),
        ])
    func keepsTheTimeOfDay(zoneName: String, span: String, now: String, before: String) throws {
        #expect(try Span(parsing: span).before(instant(now), in: zone(zoneName)) == instant(before))
    }

    @Test("the same span after the earlier instant leads back")
    func leadsBack() throws {
        let berlin = try zone("Europe/Berlin")
        let now = try instant("2026-11-20T11:00:00Z")
        let span = Span(30, .day)
        #expect(span.after(span.before(now, in: berlin), in: berlin) == now)
    }

    @Test(
        "a cutoff at a time that the clocks skipped is the earliest instant it can mean",
        arguments: [
            // 02:30 on the day when 02:00 became 03:00.
            ("Europe/Berlin", "2026-04-28T00:30:00Z", "2026-03-29T00:30:00Z"),
            ("America/New_York", "2026-04-07T06:30:00Z", "2026-03-08T06:30:00Z"),
            // Noon on December 30, 2011, a day that Samoa did not have: noon of the day before.
            ("Pacific/Apia", "2012-01-28T22:00:00Z", "2011-12-29T22:00:00Z"),
        ])
    func skippedTimes(zoneName: String, now: String, before: String) throws {
        #expect(try Span(30, .day).before(instant(now), in: zone(zoneName)) == instant(before))
    }

    @Test(
        "a cutoff at a time that the clocks showed twice is the first of the two",
        arguments: [
            ("Europe/Berlin", 30, "2026-11-24T01:30:00Z", "2026-10-25T00:30:00Z"),
            ("Europe/Berlin", 1, "2026-10-26T01:00:00Z", "2026-10-25T00:00:00Z"),
            ("Europe/Berlin", 1, "2026-10-26T02:00:00Z", "2026-10-25T02:00:00Z"),
            ("America/New_York", 30, "2026-12-01T06:30:00Z", "2026-11-01T05:30:00Z"),
        ])
    func repeatedTimes(zoneName: String, days: Int64, now: String, before: String) throws {
        #expect(try Span(days, .day).before(instant(now), in: zone(zoneName)) == instant(before))
    }

    @Test("a fraction of a second does not change which side of a clock change is meant")
    func fractions() throws {
        let berlin = try zone("Europe/Berlin")
        let now = try instant("2026-11-25T09:15:00Z")
        for thousandth in 0..<1_000 {
            let fraction = Double(thousandth) / 1_000 + 0.000_123_4
            let before = Span(30, .day).before(now.addingTimeInterval(fraction), in: berlin)
            #expect(try abs(before.timeIntervalSince(instant("2026-10-26T09:15:00Z")) - fraction) < 0.000_01)
        }
    }

    @Test("hours are fixed: they do not follow the clocks")
    func hoursAreFixed() throws {
        let now = try instant("2026-03-29T10:00:00Z")
        let berlin = try zone("Europe/Berlin")
        #expect(Span(24, .hour).before(now, in: berlin) == now.addingTimeInterval(-86_400))
        #expect(Span(1, .day).before(now, in: berlin) == now.addingTimeInterval(-82_800))
        #expect(try Span(parsing: "1d 1h").before(now, in: berlin) == now.addingTimeInterval(-86_400))
        // An hour before the second 02:30 is the first 02:30.
        let repeated = try instant("2026-10-25T01:30:00Z")
        #expect(Span(1, .hour).before(repeated, in: berlin) == repeated.addingTimeInterval(-3_600))
    }

    @Test(
        "months and years that end before the day of the month stop at their last day",
        arguments: [
            ("1month", "2026-03-31T12:00:00Z", "2026-02-28T12:00:00Z"),
            ("1month", "2028-03-31T12:00:00Z", "2028-02-29T12:00:00Z"),
            ("1month", "2026-03-28T12:00:00Z", "2026-02-28T12:00:00Z"),
            ("1y", "2028-02-29T12:00:00Z", "2027-02-28T12:00:00Z"),
            ("4y", "2028-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
            ("1y", "2029-02-28T12:00:00Z", "2028-02-28T12:00:00Z"),
            ("1month 1d", "2026-03-31T12:00:00Z", "2026-02-27T12:00:00Z"),
            ("365d", "2028-12-31T00:00:00Z", "2028-01-01T00:00:00Z"),
            ("100y", "2100-03-01T00:00:00Z", "2000-03-01T00:00:00Z"),
        ])
    func monthEnds(span: String, now: String, before: String) throws {
        #expect(try Span(parsing: span).before(instant(now), in: .gmt) == instant(before))
    }

    @Test("the longest span still leads to an instant before every row")
    func longest() throws {
        let now = try instant("2026-11-20T12:00:00Z")
        #expect(
            try Span(parsing: "1000y").before(now, in: zone("Europe/Berlin"))
                < instant("1027-01-01T00:00:00Z"))
    }

    @Test(
        "on every hour of two years, the cutoff shows the same time of day or one the clocks skipped",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns",
            "Africa/Casablanca",
        ])
    func everyHour(zoneName: String) throws {
        let (zone, theirZone) = (try zone(zoneName), try #require(TimeZone(identifier: zoneName)))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = theirZone
        let start = try instant("2026-01-01T00:30:00Z")
        for hour in 0..<(2 * 366 * 24) {
            let now = start.addingTimeInterval(Double(hour) * 3_600)
            let before = Span(30, .day).before(now, in: zone)
            // Foundation's own arithmetic agrees but for the hours of a clock change, where it is never
            // earlier.
            let theirs = try #require(calendar.date(byAdding: .day, value: -30, to: now))
            #expect(before <= theirs && before >= theirs.addingTimeInterval(-3_600))
            let changes = theirZone.nextDaylightSavingTimeTransition(after: theirs.addingTimeInterval(-7_200))
            let isNearAChange = changes.map { $0 < theirs.addingTimeInterval(7_200) } ?? false
            #expect(before == theirs || isNearAChange)
        }
    }
}
