import Glibc

/// A span of a configuration, and what it means on a calendar by the C library's `timegm`.
struct CalendarSpan: Sendable {
    /// Longest unit first.
    let amounts: [(amount: Int64, unit: String)]

    init(_ amounts: (Int64, String)...) { self.amounts = amounts.map { (amount: $0.0, unit: $0.1) } }

    /// As in a configuration: `1d 12h`.
    var text: String { amounts.map { "\($0.amount)\($0.unit)" }.joined(separator: " ") }

    /// The instant this long before `now`, rounded down to a second: calendar units by the wall clock, the rest by the
    /// time that passes. Where the clocks skipped or repeated that time of day, it is the earliest instant.
    func before(_ now: Int64, in zone: LibraryZone) -> Int64 {
        let (months, days) = (total(["y": 12, "month": 1]), total(["w": 7, "d": 1]))
        let milliseconds = total(["h": 3_600_000, "min": 60_000, "s": 1_000, "ms": 1])
        var instant = now
        if months > 0 || days > 0 {
            instant = zone.earliest(showing: Self.reading(now + zone.offset(at: now), months, days))
        }
        // Rounded down.
        return instant - (milliseconds + 999) / 1_000
    }

    private func total(_ units: [String: Int64]) -> Int64 {
        amounts.reduce(0) { $0 + $1.amount * (units[$1.unit] ?? 0) }
    }

    /// The reading of a clock so many months, and then days, before the reading `now`. In a month that is too short it is
    /// the last day.
    private static func reading(_ now: Int64, _ months: Int64, _ days: Int64) -> Int64 {
        var (second, parts) = (time_t(now), tm())
        gmtime_r(&second, &parts)
        let month = Int64(parts.tm_year) * 12 + Int64(parts.tm_mon) - months
        let (year, ofYear) = (Int32((month - (month % 12 + 12) % 12) / 12), Int32((month % 12 + 12) % 12))
        // The day 0 of the next month is the last of this one.
        var last = tm()
        (last.tm_year, last.tm_mon, last.tm_mday) = (year, ofYear + 1, 0)
        timegm(&last)
        (parts.tm_year, parts.tm_mon) = (year, ofYear)
        parts.tm_mday = min(parts.tm_mday, last.tm_mday) - Int32(days)
        return Int64(timegm(&parts))
    }
}
