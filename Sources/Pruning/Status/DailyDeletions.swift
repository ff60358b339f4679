import FoundationEssentials
import Retention

/// How many rows were deleted on each of the last days.
package struct DailyDeletions: Equatable, Sendable {
    /// A day of the calendar. Scripts read the names: they stay.
    package struct Day: Encodable, Equatable, Sendable {
        /// `2026-11-21`.
        package let day: String
        /// The rows that runs deleted which began on this day, with the dependents that went with them.
        package let rows: Int64

        /// See the properties.
        package init(day: String, rows: Int64) {
            self.day = day
            self.rows = rows
        }
    }

    /// The days, today last.
    package let days: [Day]

    /// As many days as a chart has.
    package static let count = 14

    /// Counts by the days of `timeZone`, up to `now`, what each of `runs` deleted. What leaves the archive was deleted before,
    /// and is none of that.
    package init(_ runs: [(began: Date, rows: Int64)], until now: Date, in timeZone: Zone) {
        let today = WallClock(at: now, in: timeZone).date.daysSince1970
        let names = (0..<Self.count).reversed().map { back in
            CivilDate(daysSince1970: today - Int64(back)).description
        }
        var rows: [String: Int64] = [:]
        for run in runs {
            rows[HeldRule.day(of: run.began, in: timeZone), default: 0] += run.rows
        }
        days = names.map { Day(day: $0, rows: rows[$0] ?? 0) }
    }

    /// All of them.
    package var total: Int64 { days.reduce(0) { $0 + $1.rows } }
}
