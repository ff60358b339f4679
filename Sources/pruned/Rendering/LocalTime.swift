import Foundation

extension Date {
    /// `2026-11-21 13:05:00`, by the clock on the wall.
    func local(in timeZone: TimeZone) -> String {
        var style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: timeZone)
        style = style.year().month().day().time(includingFractionalSeconds: false)
        return formatted(style)
    }
}
