import FoundationEssentials
import Retention

/// How many rows were deleted on each of the last days.
package struct DailyDeletions: Codable, Equatable, Sendable {
    /// A calendar day. Scripts read these names, so they must not change.
    package struct Day: Codable, Equatable, Sendable {
        /// For example `2026-11-21`.
        package let day: String
        /// The rows deleted by runs that began on this day, including dependents.
        package let rows: Int64

        package init(day: String, rows: Int64) {
            self.day = day
            self.rows = rows
        }
    }

    /// The days, today last.
    package let days: [Day]

    /// The number of days in the chart.
    package static let count = 14

    /// Counts what `runs` deleted on each day of `timeZone`, up to `now`. The caller leaves out what was deleted from
    /// the archive, since it was counted when it was deleted from its store.
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

    /// The rows deleted on all days.
    package var total: Int64 { days.reduce(0) { $0 + $1.rows } }
}

/// How large a store was at the end of a day: on disk, and the free part of that. Scripts read these names, so they must
/// not change.
package struct SizeOnDay: Codable, Equatable, Sendable {
    enum CodingKeys: String, CodingKey {
        case day, bytes
        case freeBytes = "free_bytes"
    }

    package let day: String
    package let bytes: Int64
    package let freeBytes: Int64

    package init(day: String, bytes: Int64, freeBytes: Int64) {
        (self.day, self.bytes, self.freeBytes) = (day, bytes, freeBytes)
    }
}
