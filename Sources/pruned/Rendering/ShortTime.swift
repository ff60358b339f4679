import FoundationEssentials
import Retention

extension Date {
    /// The minute, or where that is half a year from `now` or more, the day: `11-21 13:05`, `2025-03-01`. As `ls` has it
    /// with `--time-style=iso`.
    func short(in timeZone: Zone, now: Date) -> String {
        let text = local(in: timeZone)
        let isNear = abs(timeIntervalSince(now)) < 182 * 86_400
        return String(isNear ? text.dropFirst(5).dropLast(3) : text.prefix(10))
    }
}
