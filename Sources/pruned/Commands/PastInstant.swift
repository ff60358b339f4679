import FoundationEssentials
import Retention

/// An instant in the past as people write it: how long ago, or when by the clock on the wall.
enum PastInstant {
    case ago(Span)
    case reading(WallClock)

    /// Nil for what is neither a span nor a date, with or without a time of day.
    init?(parsing text: String) {
        if let span = try? Span(parsing: text) {
            self = .ago(span)
            return
        }
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        let number = { (digits: Substring?) in digits.flatMap { Int($0) } ?? 0 }
        let date = CivilDate(year: Int64(number(match.1)), month: number(match.2), day: number(match.3))
        let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
        guard date.exists, hour < 24, minute < 60, second < 60 else { return nil }
        self = .reading(WallClock(date, time: TimeInterval(hour * 3_600 + minute * 60 + second)))
    }

    /// The instant, by the clock of `timeZone`.
    func date(before now: Date, in timeZone: Zone) -> Date {
        switch self {
        case .ago(let span): span.before(now, in: timeZone)
        case .reading(let reading): reading.earliestInstant(in: timeZone)
        }
    }
}
