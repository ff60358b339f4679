/// The unit in which a column stores a time.
package enum TimeUnit: String, Codable, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"
    case minutes = "min"
    case hours = "h"
    case days = "d"
    /// Tenths of a microsecond: .NET's since the year 1.
    case ticks
    /// Tenths of a microsecond since 1601.
    case fileTime = "filetime"
    /// Ids of Discord or Twitter: milliseconds before 22 bits of other things.
    case snowflake
    /// Seconds with a fraction: real numbers, or integers where the fraction is zero.
    case realSeconds = "s-real"
    /// Julian days with a fraction, as SQLite's own functions write them.
    case julianDays = "d-real"
    /// Text such as `2026-11-23 09:30:00`. This and the units after it are read as microseconds.
    case iso8601
    /// A date as an integer or as text: `20261123`.
    case dayDigits = "yyyymmdd"
    /// Text such as `Mon, 23 Nov 2026 09:30:00 GMT`.
    case rfc2822
    /// The text of Go's `time.String()`.
    case goText = "go"
    /// A number of seconds, written as text.
    case numberText = "s-text"
    /// An id that begins with milliseconds.
    case uuid7, ulid

    /// How SQLite stores values of the unit.
    package enum Storage: Sendable {
        case integer, real
        /// Values that are not compared as they are.
        case text
    }

    /// How a column stores values of this unit.
    package var storage: Storage {
        switch self {
        case .seconds, .milliseconds, .microseconds, .nanoseconds, .minutes, .hours, .days, .ticks, .fileTime,
            .snowflake:
            .integer
        case .realSeconds, .julianDays: .real
        case .iso8601, .dayDigits, .rfc2822, .goText, .numberText, .uuid7, .ulid: .text
        }
    }

    /// The number of units in a second; 1 if a unit is longer. Julian days are counted in seconds.
    package var perSecond: Int64 {
        switch self {
        case .seconds, .minutes, .hours, .days, .realSeconds, .julianDays: 1
        case .milliseconds: 1_000
        case .microseconds, .iso8601, .dayDigits, .rfc2822, .goText, .numberText, .uuid7, .ulid: 1_000_000
        case .ticks, .fileTime: 10_000_000
        case .nanoseconds: 1_000_000_000
        case .snowflake: 1_000 << 22
        }
    }

    /// The number of seconds in a unit; 1 if it is shorter.
    package var seconds: Int64 {
        switch self {
        case .minutes: 60
        case .hours: 3_600
        case .days: 86_400
        default: 1
        }
    }

    /// The epochs from which it may count. The first one is meant if none is said.
    package var epochs: [Epoch] {
        switch self {
        case .ticks: [.dotnet, .unix]
        case .fileTime: [.chromium]
        case .julianDays: [.julian]
        case .snowflake: [.discord, .twitter]
        default: storage == .text ? [.unix] : [.unix, .coreData, .chromium, .dotnet]
        }
    }

    /// Whether its values could be taken for plain numbers, or for random ids, so that more must speak for it.
    var isAmbiguous: Bool {
        switch self {
        case .seconds, .milliseconds, .microseconds, .nanoseconds, .realSeconds, .iso8601: false
        default: true
        }
    }

    /// Whether a text in this unit can mean nothing else.
    var isUnmistakable: Bool { [.iso8601, .rfc2822, .goText].contains(self) }
}
