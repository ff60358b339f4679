import FoundationEssentials
import Glibc

/// The width of a histogram's bars, in calendar units.
///
/// Edges are computed in UTC, like the days by which rows are counted on an index. So the rows between two edges are
/// counted without reading them.
package enum BarWidth: Equatable, Sendable {
    /// A number of seconds that divides a day.
    case seconds(Int64)
    case days(Int64)
    case months(Int64)

    /// All widths, from the narrowest to the widest.
    static let all: [BarWidth] =
        [60, 300, 900, 3_600, 10_800, 21_600, 43_200].map(BarWidth.seconds)
        + [1, 2, 3, 4, 7, 14].map(BarWidth.days)
        + [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000].map(BarWidth.months)

    /// Whether bars are shorter than a day, so that their labels need the time of day.
    package var isWithinDay: Bool { if case .seconds = self { true } else { false } }

    /// The approximate length of a bar in seconds, for comparison only.
    var approximateSeconds: Double {
        switch self {
        case .seconds(let count): Double(count)
        case .days(let count): Double(count) * Self.day
        case .months(let count): Double(count) * Self.day * 365.2425 / 12
        }
    }

    /// The last edge at or before `date`. Weeks begin on Mondays, other widths at round numbers.
    func edge(at date: Date) -> Date {
        switch self {
        case .seconds(let count): Self.floor(date, to: Double(count), from: 0)
        case .days(let count):
            // 1970 began on a Thursday.
            Self.floor(date, to: Double(count) * Self.day, from: count % 7 == 0 ? 4 * Self.day : 0)
        case .months(let count): Self.month(Self.monthNumber(date) / count * count)
        }
    }

    /// The next edge. `edge` must be an edge itself.
    func edge(after edge: Date) -> Date {
        switch self {
        case .seconds(let count): edge.addingTimeInterval(Double(count))
        case .days(let count): edge.addingTimeInterval(Double(count) * Self.day)
        case .months(let count): Self.month(Self.monthNumber(edge) + count)
        }
    }

    private static let day: TimeInterval = 86_400

    private static func floor(_ date: Date, to step: TimeInterval, from origin: TimeInterval) -> Date {
        let steps = ((date.timeIntervalSince1970 - origin) / step).rounded(.down)
        return Date(timeIntervalSince1970: origin + steps * step)
    }

    /// The number of months since the year 0.
    private static func monthNumber(_ date: Date) -> Int64 {
        let day = WallClock(at: date, in: .gmt).date
        return day.year * 12 + Int64(day.month) - 1
    }

    private static func month(_ number: Int64) -> Date {
        let first = CivilDate(year: number / 12, month: Int(number % 12) + 1, day: 1)
        return Date(timeIntervalSince1970: Double(first.daysSince1970) * day)
    }
}
