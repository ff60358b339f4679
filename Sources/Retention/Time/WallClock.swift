import Foundation

/// What the clock on the wall shows in a time zone, written as the instant at which UTC shows the same.
enum WallClock {
    /// The reading at `instant`.
    static func reading(at instant: Date, in timeZone: TimeZone) -> Date {
        instant.addingTimeInterval(TimeInterval(timeZone.secondsFromGMT(for: instant)))
    }

    /// The first instant at which the clock shows `reading`.
    ///
    /// A reading that the clocks skipped is taken by the offset that makes it the earliest instant.
    static func earliestInstant(reading: Date, in timeZone: TimeZone) -> Date {
        // No zone is a day away from UTC: these are the offsets before and after any change at the reading.
        let aDay: TimeInterval = 86_400
        let offsets = [-aDay, aDay].map { timeZone.secondsFromGMT(for: reading.addingTimeInterval($0)) }
        let instant = { (offset: Int) in reading.addingTimeInterval(-TimeInterval(offset)) }
        let shown = offsets.filter { timeZone.secondsFromGMT(for: instant($0)) == $0 }
        // The greater the offset, the earlier the instant.
        return instant((shown.isEmpty ? offsets : shown).reduce(.min, max))
    }
}
