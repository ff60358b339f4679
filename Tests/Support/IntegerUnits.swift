import FoundationEssentials
import Retention

extension TimeUnit {
    /// The units of integers that count from 1970 and are not longer than a second.
    package static let integers: [TimeUnit] = [.seconds, .milliseconds, .microseconds, .nanoseconds]

    /// The integers that can be times in this unit since 1970.
    package var plausible: ClosedRange<Int64> { TimeFormat(self).plausible }
}

extension UnitDiagnosis {
    /// Judges a sample, taken in November 2026, as times in `unit` since 1970.
    package init(of sample: TimeSample, in unit: TimeUnit) {
        self.init(of: sample, in: TimeFormat(unit), at: Date(timeIntervalSince1970: 1_795_176_000))
    }
}
