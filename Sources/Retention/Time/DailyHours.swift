import FoundationEssentials

/// The hours of each day in which the service runs a rule: `02:00-05:00`, or over midnight `22:00-04:00`.
///
/// They begin when clocks first show the one time, and end when clocks then first show the other. A time that a clock
/// change skips is the instant of the change. If nothing is left of the hours by that, they are as long as on other
/// days, from the change on: they are met every day.
package struct DailyHours: Codable, Hashable, Sendable {
    /// In minutes after midnight. ``end`` is later than ``start``, and may be on the next day.
    private let start, end: Int64

    /// One day's hours. ``opens`` is part of them, ``closes`` is not.
    package struct Period: Equatable, Sendable {
        package let opens, closes: Date
    }

    /// Parses `HH:MM-HH:MM`. The end may be `24:00`.
    package init(parsing text: String) throws(DailyHoursError) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Self.minutes(parts[0]), let end = Self.minutes(parts[1]),
            start < Self.aDay
        else { throw .unreadable }
        guard start != end else { throw .empty }
        (self.start, self.end) = (start, end > start ? end : end + Self.aDay)
    }

    private static let aDay: Int64 = 1_440

    private static func minutes(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy("0123456789".contains) }),
            let hours = Int64(parts[0]), let minutes = Int64(parts[1]), minutes < 60
        else { return nil }
        let all = hours * 60 + minutes
        return all <= aDay ? all : nil
    }

    /// The hours in which `instant` is, or else the next ones.
    package func period(at instant: Date, in zone: Zone) -> Period {
        var day = Self.day(of: instant, in: zone) - 2
        while true {
            let period = period(ofDay: day, in: zone)
            if period.closes > instant { return period }
            day += 1
        }
    }

    /// When the last hours up to `instant` opened.
    func lastOpening(by instant: Date, in zone: Zone) -> Date {
        var day = Self.day(of: instant, in: zone) + 1
        while true {
            let opens = period(ofDay: day, in: zone).opens
            if opens <= instant { return opens }
            day -= 1
        }
    }

    /// Whether `instant` is in the hours.
    package func contains(_ instant: Date, in zone: Zone) -> Bool {
        period(at: instant, in: zone).opens <= instant
    }

    private static func day(of instant: Date, in zone: Zone) -> Int64 {
        WallClock(at: instant, in: zone).date.daysSince1970
    }

    private func period(ofDay day: Int64, in zone: Zone) -> Period {
        let opens = Self.clock(start, ofDay: day).firstInstant(in: zone)
        let closes = Self.clock(end, ofDay: day).firstInstant(in: zone)
        guard closes <= opens else { return Period(opens: opens, closes: closes) }
        return Period(opens: opens, closes: opens.addingTimeInterval(TimeInterval(end - start) * 60))
    }

    private static func clock(_ minutes: Int64, ofDay day: Int64) -> WallClock {
        WallClock(
            CivilDate(daysSince1970: day + minutes / aDay), time: TimeInterval(minutes % aDay) * 60)
    }
}

/// Why a text says no hours.
package enum DailyHoursError: Error {
    case unreadable
    /// They begin and end at the same time, so they never come.
    case empty
}

extension DailyHours: CustomStringConvertible {
    /// As it was parsed, for example `22:00-04:00`.
    package var description: String { "\(Self.text(start))-\(endText)" }

    /// When they end, for example `04:00`.
    package var endText: String { Self.text(end > Self.aDay ? end - Self.aDay : end) }

    private static func text(_ minutes: Int64) -> String {
        "\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
    }
}
