/// The unit in which a column stores a time.
package enum TimeUnit: String, Codable, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"
    /// Seconds with a fraction: real numbers, or integers where the fraction is zero.
    case realSeconds = "s-real"
    /// Text such as `2026-11-23 09:30:00`. It is read as microseconds.
    case iso8601

    /// How SQLite stores values of the unit.
    package enum Storage: Sendable {
        case integer, real, text
    }

    /// How a column stores values of this unit.
    package var storage: Storage {
        switch self {
        case .seconds, .milliseconds, .microseconds, .nanoseconds: .integer
        case .realSeconds: .real
        case .iso8601: .text
        }
    }

    /// The number of units in a second.
    package var perSecond: Int64 {
        switch self {
        case .seconds, .realSeconds: 1
        case .milliseconds: 1_000
        case .microseconds, .iso8601: 1_000_000
        case .nanoseconds: 1_000_000_000
        }
    }
}
