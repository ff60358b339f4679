/// The unit in which a column counts Unix time.
package enum TimeUnit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// How many of the unit make a second.
    package var perSecond: Int64 {
        switch self {
        case .seconds: 1
        case .milliseconds: 1_000
        case .microseconds: 1_000_000
        case .nanoseconds: 1_000_000_000
        }
    }

    /// The Unix seconds that a stored time may plausibly have: 2000-01-01 to 9999-12-31.
    ///
    /// Narrow enough that a time in any other unit falls outside it for every date from 2000 to the year 2970
    /// (milliseconds read as seconds) on, which is what keeps a wrong unit from emptying a table.
    package static let plausibleSeconds: ClosedRange<Int64> = 946_684_800...253_402_300_799

    /// ``plausibleSeconds`` in this unit; for nanoseconds it ends where a 64-bit integer does, in the year 2262.
    package var plausible: ClosedRange<Int64> {
        value(ofSecond: Self.plausibleSeconds.lowerBound)...lastValue
    }

    private var lastValue: Int64 {
        let (start, overflow) = Self.plausibleSeconds.upperBound.multipliedReportingOverflow(by: perSecond)
        return overflow ? .max : start + (perSecond - 1)
    }

    /// The value a column in this unit has at the start of a Unix second; the nearest representable one if that
    /// overflows.
    package func value(ofSecond second: Int64) -> Int64 {
        let (value, overflow) = second.multipliedReportingOverflow(by: perSecond)
        guard overflow else { return value }
        return second < 0 ? .min : .max
    }
}
