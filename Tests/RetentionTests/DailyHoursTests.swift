import Foundation
import Retention
import Testing

struct DailyHoursTests {
    @Test(
        "the hours in which an instant is, or the next, over midnight and clock changes",
        arguments: [
            ("02:00-05:00", "2026-11-20T12:00", "2026-11-21T01:00", "2026-11-21T04:00"),
            ("02:00-05:00", "2026-11-21T01:00", "2026-11-21T01:00", "2026-11-21T04:00"),
            ("02:00-05:00", "2026-11-21T03:59", "2026-11-21T01:00", "2026-11-21T04:00"),
            ("02:00-05:00", "2026-11-21T04:00", "2026-11-22T01:00", "2026-11-22T04:00"),
            ("22:00-04:00", "2026-11-20T12:00", "2026-11-20T21:00", "2026-11-21T03:00"),
            ("22:00-04:00", "2026-11-21T02:59", "2026-11-20T21:00", "2026-11-21T03:00"),
            ("00:00-24:00", "2026-11-20T22:59", "2026-11-19T23:00", "2026-11-20T23:00"),
            ("22:00-24:00", "2026-11-20T12:00", "2026-11-20T21:00", "2026-11-20T23:00"),
            // Clocks go from 02:00 to 03:00 at 01:00 UTC.
            ("02:00-03:00", "2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T02:00"),
            ("02:15-02:45", "2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T01:30"),
            ("02:30-05:00", "2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T03:00"),
            ("02:30-03:15", "2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T01:15"),
            ("01:00-02:30", "2026-03-29T00:30", "2026-03-29T00:00", "2026-03-29T01:00"),
            ("22:00-04:00", "2026-03-28T22:00", "2026-03-28T21:00", "2026-03-29T02:00"),
            // Clocks go from 03:00 back to 02:00 at 01:00 UTC.
            ("02:00-03:00", "2026-10-25T01:30", "2026-10-25T00:00", "2026-10-25T02:00"),
            ("02:15-02:45", "2026-10-25T00:20", "2026-10-25T00:15", "2026-10-25T00:45"),
            ("02:15-02:45", "2026-10-25T01:20", "2026-10-26T01:15", "2026-10-26T01:45"),
            ("01:00-02:30", "2026-10-25T00:00", "2026-10-24T23:00", "2026-10-25T00:30"),
        ])
    func periods(hours: String, at: String, opens: String, closes: String) throws {
        let hours = try DailyHours(parsing: hours)
        let period = try hours.period(at: instant("\(at):00Z"), in: zone("Europe/Berlin"))
        #expect(try period.opens == instant("\(opens):00Z"))
        #expect(try period.closes == instant("\(closes):00Z"))
        #expect(try hours.contains(instant("\(at):00Z"), in: zone("Europe/Berlin")) == (opens <= at))
    }

    @Test(
        "the hours of each day come, one after the other, whatever the zone does",
        arguments: ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "GMT"])
    func everyDay(name: String) throws {
        let zone = try zone(name)
        for text in [
            "02:00-03:00", "02:15-02:45", "23:30-00:30", "00:00-00:30", "00:00-24:00", "13:00-12:59",
        ] {
            let hours = try DailyHours(parsing: text)
            var now = try instant("2011-01-01T00:00:00Z")
            while try now < instant("2012-02-01T00:00:00Z") {
                let period = hours.period(at: now, in: zone)
                #expect(period.closes > max(now, period.opens), "\(text) \(now)")
                #expect(period.opens.timeIntervalSince(now) <= 48 * 3_600, "\(text) \(now)")
                now = period.closes
            }
        }
    }

    @Test("they are written as they were read", arguments: ["02:00-05:00", "22:00-04:00", "00:00-24:00"])
    func description(text: String) throws {
        #expect(try DailyHours(parsing: text).description == text)
    }
}
