/// The unit in which a column counts Unix time.
package enum TimeUnit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// The number of units in a second.
    package var perSecond: Int64 {
        switch self {
        case .seconds: 1
        case .milliseconds: 1_000
        case .microseconds: 1_000_000
        case .nanoseconds: 1_000_000_000
        }
    }

    /// The Unix seconds that are plausible for a stored time: 2000-01-01 to 9999-12-31.
    ///
    /// The range is narrow enough that a time within it, stored in another unit, is never plausible. This prevents a
    /// wrong unit from emptying a table.
    package static let plausibleSeconds: ClosedRange<Int64> = 946_684_800...253_402_300_799

    /// ``plausibleSeconds`` in this unit. For nanoseconds it ends at the largest 64-bit integer, in the year 2262.
    package var plausible: ClosedRange<Int64> {
        value(ofSecond: Self.plausibleSeconds.lowerBound)...lastValue
    }

    private var lastValue: Int64 {
        let (start, overflow) = Self.plausibleSeconds.upperBound.multipliedReportingOverflow(by: perSecond)
        return overflow ? .max : start + (perSecond - 1)
    }

    /// The value of a column in this unit at the start of a Unix second. The nearest 64-bit integer if that overflows.
    package func value(ofSecond second: Int64) -> Int64 {
        let (value, overflow) = second.multipliedReportingOverflow(by: perSecond)
        guard overflow else { return value }
        return second < 0 ? .min : .max
    }
}
