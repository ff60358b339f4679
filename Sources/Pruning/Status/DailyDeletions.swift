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

    /// Counts by the days of `timeZone`, up to `now`. What leaves the archive was deleted before, and is left out.
    package init(_ entries: [HistoryEntry], until now: Date, in timeZone: Zone) {
        let today = WallClock(at: now, in: timeZone).date.daysSince1970
        let names = (0..<Self.count).reversed().map { back in
            CivilDate(daysSince1970: today - Int64(back)).description
        }
        var rows: [String: Int64] = [:]
        for entry in entries where entry.kind == .run {
            guard let rules = entry.rules else { continue }
            let deleted = rules.filter { $0.store != RetentionPolicy.archiveName.description }
                .reduce(0) { Self.sum($0, Self.sum($1.deleted, $1.dependentsDeleted)) }
            guard deleted > 0 else { continue }
            let day = HeldRule.day(of: entry.time, in: timeZone)
            rows[day] = Self.sum(rows[day] ?? 0, deleted)
        }
        days = names.map { Day(day: $0, rows: rows[$0] ?? 0) }
    }

    /// All of them.
    package var total: Int64 { days.reduce(0) { Self.sum($0, $1.rows) } }

    /// A history that somebody has written into must not end the program.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
