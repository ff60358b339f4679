import FoundationEssentials

/// The instant from which a column counts time.
package enum Epoch: String, Codable, CaseIterable, Sendable {
    /// 1970-01-01.
    case unix
    /// 2001-01-01: Apple's Core Data and NSDate.
    case coreData = "core-data"
    /// 1601-01-01: Chromium and Windows.
    case chromium

    /// The Unix second of the epoch. It is the start of a day.
    var second: Int64 {
        switch self {
        case .unix: 0
        case .coreData: 978_307_200
        case .chromium: -11_644_473_600
        }
    }

    /// The Unix seconds that are plausible for a stored time.
    ///
    /// For Unix time: 2000-01-01 to 9999-12-31. The range is narrow enough that a time within it, stored in another
    /// unit, is never plausible. This prevents a wrong unit from emptying a table. The other epochs begin in 2005, so
    /// that small integers are not times, and end in 2199.
    package var plausibleSeconds: ClosedRange<Int64> {
        switch self {
        case .unix: 946_684_800...253_402_300_799
        case .coreData, .chromium: 1_104_537_600...7_258_118_399
        }
    }
}

/// How a column stores times.
package struct TimeFormat: Codable, Hashable, Sendable {
    package var unit: TimeUnit
    package var epoch: Epoch
    /// The zone of texts without an offset; nil for UTC.
    package var zone: Zone?

    package init(_ unit: TimeUnit = .seconds, since epoch: Epoch = .unix, zone: Zone? = nil) {
        (self.unit, self.epoch, self.zone) = (unit, epoch, zone)
    }

    /// The integers that can be times in this format. For nanoseconds the range ends at the largest 64-bit integer, in
    /// the year 2262. Empty ranges do not exist: see ``isRepresentable``.
    package var plausible: ClosedRange<Int64> {
        let seconds = epoch.plausibleSeconds
        let first = value(ofSecond: seconds.lowerBound)
        let (start, overflow) = (seconds.upperBound - epoch.second).multipliedReportingOverflow(
            by: unit.perSecond)
        return first...(overflow ? .max : start + (unit.perSecond - 1))
    }

    /// Whether a 64-bit integer can hold a time of today.
    package var isRepresentable: Bool { epoch != .chromium || unit != .nanoseconds }

    /// The value of a column at the start of a Unix second. The nearest 64-bit integer if that overflows.
    package func value(ofSecond second: Int64) -> Int64 {
        let (sinceEpoch, underflow) = second.subtractingReportingOverflow(epoch.second)
        guard !underflow else { return second < 0 ? .min : .max }
        let (value, overflow) = sinceEpoch.multipliedReportingOverflow(by: unit.perSecond)
        guard overflow else { return value }
        return sinceEpoch < 0 ? .min : .max
    }

    /// The instant of a value, rounded down to a whole second. A Date cannot represent nanoseconds, and would round up.
    package func date(of value: Int64) -> Date {
        Date(timeIntervalSince1970: Double(value.floorDivided(by: unit.perSecond)) + Double(epoch.second))
    }
}
