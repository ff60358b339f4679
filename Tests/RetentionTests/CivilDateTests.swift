import Foundation
import Retention
import Testing

struct CivilDateTests {
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    @Test("every day from 1583 to 2600 leads to a date and back, and every week's is Foundation's")
    func days() throws {
        let wrong = (Int64(-141_000)..<230_000).first { day in
            let date = CivilDate(daysSince1970: day)
            guard date.daysSince1970 == day && date.exists else { return true }
            guard day % 7 == 0 else { return false }
            let theirs = Self.calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
            return Int(date.year) != theirs.year || date.month != theirs.month || date.day != theirs.day
        }
        #expect(wrong == nil)
    }

    @Test("a day follows each, back to before the year 0")
    func eras() {
        var last = CivilDate(daysSince1970: -800_001)
        let wrong = (Int64(-800_000)..<(-690_000)).first { day in
            let date = CivilDate(daysSince1970: day)
            let isNextDay = date.day == last.day + 1 && date.month == last.month && date.year == last.year
            let isNextMonth = date.day == 1 && date.month == last.month % 12 + 1
            last = date
            return date.daysSince1970 != day || !isNextDay && !isNextMonth
        }
        #expect(wrong == nil)
    }

    @Test(
        "spans of years, months, weeks and days lead where Foundation's calendar leads on the wall clock's reading",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Tokyo",
            "Europe/Dublin", "America/Sao_Paulo", "Pacific/Apia", "Pacific/Auckland", "Asia/Kathmandu",
        ])
    func spans(name: String) throws {
        let (ours, theirs) = (try zone(name), try #require(TimeZone(identifier: name)))
        let texts = [
            "1d", "30d", "2w", "1month", "7month", "1y", "4y 1month 3d", "1y 1month", "12month", "33y",
        ]
        for (index, text) in texts.enumerated() {
            let (span, parts) = (try Span(parsing: text), Self.components(text))
            for step in 0..<300 {
                let now = Date(
                    timeIntervalSince1970: 946_684_800 + Double(step) * 3_175_669 + Double(index) * 7_919)
                let reading = now.addingTimeInterval(Double(theirs.secondsFromGMT(for: now)))
                let moved = try #require(Self.calendar.date(byAdding: parts, to: reading))
                let instants = [-86_400.0, 86_400].map {
                    moved.addingTimeInterval(
                        -Double(theirs.secondsFromGMT(for: moved.addingTimeInterval($0))))
                }
                let shown = instants.filter {
                    $0.addingTimeInterval(Double(theirs.secondsFromGMT(for: $0))) == moved
                }
                let expected = shown.min() ?? instants.min()
                if span.before(now, in: ours) != expected {
                    Issue.record("\(text) before \(now): \(span.before(now, in: ours))")
                }
            }
        }
    }

    private static func components(_ text: String) -> DateComponents {
        var parts = DateComponents()
        for part in text.split(separator: " ") {
            let (number, unit) = (-(Int(part.prefix { $0.isNumber }) ?? 0), part.drop { $0.isNumber })
            switch unit {
            case "y": parts.year = number
            case "month": parts.month = number
            case "w": parts.day = number * 7
            default: parts.day = number
            }
        }
        return parts
    }
}
