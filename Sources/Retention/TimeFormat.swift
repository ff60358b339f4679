import FoundationEssentials

/// The instant from which a column counts time.
package enum Epoch: String, Codable, CaseIterable, Sendable {
    /// 1970-01-01.
    case unix
    /// 2001-01-01: Apple's Core Data and NSDate.
    case coreData = "core-data"
    /// 1601-01-01: Chromium and Windows.
    case chromium
    /// 0001-01-01: .NET.
    case dotnet
    /// The noon with which the julian day 0 begins, 4713 BC.
    case julian
    /// That of the ids of Discord, 2015-01-01.
    case discord
    /// That of the ids of Twitter, in November 2010.
    case twitter

    /// In milliseconds since 1970.
    package var milliseconds: Int64 {
        switch self {
        case .unix: 0
        case .coreData: 978_307_200_000
        case .chromium: -11_644_473_600_000
        case .dotnet: -62_135_596_800_000
        case .julian: -210_866_760_000_000
        case .discord: 1_420_070_400_000
        case .twitter: 1_288_834_974_657
        }
    }

    /// The Unix seconds that are plausible for a stored time.
    ///
    /// For Unix time: 2000-01-01 to 9999-12-31. The range is narrow enough that a time within it, stored in another
    /// unit, is never plausible. This prevents a wrong unit from emptying a table. The other epochs begin in 2005, so
    /// that small integers are not times, and end in 2199. For the same reason ids begin a month after their epoch.
    package var plausibleSeconds: ClosedRange<Int64> {
        switch self {
        case .unix: 946_684_800...253_402_300_799
        case .coreData, .chromium, .dotnet, .julian: Self.century
        case .discord, .twitter: (milliseconds / 1_000 + 31 * 86_400)...Self.century.upperBound
        }
    }

    /// From 2005 to 2199.
    static let century: ClosedRange<Int64> = 1_104_537_600...7_258_118_399
}

/// How a column stores times.
package struct TimeFormat: Codable, Hashable, Sendable {
    package var unit: TimeUnit
    package var epoch: Epoch
    /// The zone of texts without an offset; nil for UTC.
    package var zone: Zone?

    package init(_ unit: TimeUnit = .seconds, since epoch: Epoch? = nil, zone: Zone? = nil) {
        (self.unit, self.epoch, self.zone) = (unit, epoch ?? unit.epochs[0], zone)
    }

    private var plausibleSeconds: ClosedRange<Int64> {
        switch unit {
        // Small integers, and random ids.
        case .minutes, .hours, .days, .uuid7, .ulid: Epoch.century
        default: epoch.plausibleSeconds
        }
    }

    /// The integers that can be times in this format. For nanoseconds the range ends at the largest 64-bit integer, in
    /// the year 2262. Empty ranges do not exist: see ``isRepresentable``.
    package var plausible: ClosedRange<Int64> {
        let seconds = plausibleSeconds
        return value(ofSecond: seconds.lowerBound)...Int64(clamping: exact(seconds.upperBound + 1) - 1)
    }

    /// Whether a 64-bit integer can hold a time of today.
    package var isRepresentable: Bool { exact(plausibleSeconds.lowerBound) < Int64.max }

    /// The value of a column at the start of a Unix second. The nearest 64-bit integer if that overflows. Of a unit of
    /// more than a second the last value that is over, since a value may mean each instant until the next one.
    package func value(ofSecond second: Int64) -> Int64 { Int64(clamping: exact(second)) }

    private func exact(_ second: Int64) -> Int128 {
        let since = (Int128(second) * 1_000 - Int128(epoch.milliseconds)) * Int128(unit.perSecond)
        return since.floorDivided(by: Int128(unit.seconds * 1_000))
    }

    /// How many values `seconds` have; at least one.
    package func length(of seconds: Int64) -> Int64 { max(1, seconds * unit.perSecond / unit.seconds) }

    /// The instant of a value, rounded down to a whole second. A Date cannot represent nanoseconds, and would round up. Of a
    /// unit of more than a second, the last second.
    package func date(of value: Int64) -> Date {
        let millis = (Int128(value) * Int128(unit.seconds) * 1_000).floorDivided(by: Int128(unit.perSecond))
        let second = (millis + Int128(epoch.milliseconds)).floorDivided(by: 1_000)
        return Date(timeIntervalSince1970: Double(second) + Double(unit.seconds - 1))
    }

    /// A time, as ``plausible`` counts it, as the number in a column of real numbers.
    package func real(_ value: Int64) -> Double {
        unit == .julianDays ? Double(value) / 86_400 : Double(value)
    }

    /// A number of a column of real numbers as ``plausible`` counts it, rounded down; nil if it is not finite or too large.
    func whole(_ real: Double) -> Int64? {
        Int64(exactly: (unit == .julianDays ? real * 86_400 + Self.daysInaccuracy : real).rounded(.down))
    }

    /// In seconds. The nearest double to a julian day is off by less.
    package static let daysInaccuracy = 0.00004
}

/// Columns that a server compares as they are.
extension TimeFormat {
    /// The bounds of plausible times, as ``written(at:)``; the second one is plausible no more.
    package var plausibleTexts: (first: String, end: String) {
        (written(at: plausibleSeconds.lowerBound), written(at: plausibleSeconds.upperBound + 1))
    }

    /// What a column has at the start of a Unix second, as a number or an id. All lesser values are before it.
    package func written(at second: Int64) -> String {
        switch unit {
        case .julianDays: return "\(real(value(ofSecond: second)))"
        case .dayDigits:
            let instant = Date(timeIntervalSince1970: Double(second))
            let zone = zone ?? .gmt
            let reading = LocalCutoff.skipped(at: instant, in: zone)?.from
            let date = (reading ?? LocalCutoff.reading(of: instant, in: zone)).date
            return "\(date.year * 10_000 + Int64(date.month * 100 + date.day))"
        case .uuid7:
            let millis = String(max(0, second) * 1_000, radix: 16)
            let digits = String(repeating: "0", count: max(0, 12 - millis.count)) + millis
            return "\(digits.prefix(8))-\(digits.dropFirst(8))-0000-0000-000000000000"
        default: return "\(value(ofSecond: second))"
        }
    }
}
