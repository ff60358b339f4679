import FoundationEssentials

/// The date and time of day that clocks show in a time zone.
package struct WallClock: Hashable, Sendable {
    /// The day on the calendar.
    package var date: CivilDate
    /// The seconds since that day's midnight, less than a day.
    package var time: TimeInterval

    /// `time` must be less than a day.
    package init(_ date: CivilDate, time: TimeInterval) {
        (self.date, self.time) = (date, time)
    }

    /// The date and time at `instant`.
    package init(at instant: Date, in zone: Zone) {
        // Clamped to a range that the calendar can represent.
        let seconds = instant.timeIntervalSince1970.clamped(to: -1e14...1e14)
        let whole = seconds.rounded(.down)
        let reading = Int64(whole) + Int64(zone.offset(at: instant))
        let day = reading.floorDivided(by: 86_400)
        date = CivilDate(daysSince1970: day)
        time = TimeInterval(reading - day * 86_400) + (seconds - whole)
    }

    /// The first instant at which clocks in `zone` show this date and time.
    ///
    /// If a clock change skipped this time, the instant is computed with the offset that makes it the earliest.
    package func earliestInstant(in zone: Zone) -> Date {
        let reading = Date(timeIntervalSince1970: TimeInterval(date.daysSince1970) * 86_400 + time)
        // No zone is a day or more away from UTC, so these are the offsets before and after any change near this time.
        let aDay: TimeInterval = 86_400
        let offsets = [-aDay, aDay].map { zone.offset(at: reading.addingTimeInterval($0)) }
        let instant = { (offset: Int) in reading.addingTimeInterval(-TimeInterval(offset)) }
        let shown = offsets.filter { zone.offset(at: instant($0)) == $0 }
        // The greatest offset gives the earliest instant.
        return instant((shown.isEmpty ? offsets : shown).reduce(.min, max))
    }
}

extension WallClock {
    /// The same, but the instant of the clock change if that skipped this time.
    func firstInstant(in zone: Zone) -> Date {
        let earliest = earliestInstant(in: zone)
        guard WallClock(at: earliest, in: zone) != self else { return earliest }
        // That was before the change, which skipped a day at most.
        return LocalCutoff.change(of: zone, between: earliest, and: earliest.addingTimeInterval(86_400))
    }
}

extension WallClock: CustomStringConvertible {
    /// For example `2026-11-21 13:05:00`.
    package var description: String {
        let seconds = Int(time)
        let digits = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { "\($0 / 10)\($0 % 10)" }
        return "\(date) \(digits.joined(separator: ":"))"
    }
}
