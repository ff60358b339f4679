import Foundation
import Retention

/// An instant in the past as people write it: how long ago, or when by the clock on the wall.
enum PastInstant {
    case ago(Span)
    case reading(DateComponents)

    /// Nil for what is neither a span nor a date, with or without a time of day.
    init?(parsing text: String) {
        if let span = try? Span(parsing: text) {
            self = .ago(span)
            return
        }
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        let number = { (digits: Substring?) in digits.flatMap { Int($0) } ?? 0 }
        let components = DateComponents(
            year: number(match.1), month: number(match.2), day: number(match.3), hour: number(match.4),
            minute: number(match.5), second: number(match.6))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard components.isValidDate(in: calendar) else { return nil }
        self = .reading(components)
    }

    /// The instant, by the clock of `timeZone`.
    func date(before now: Date, in timeZone: TimeZone) -> Date? {
        switch self {
        case .ago(let span): return span.before(now, in: timeZone)
        case .reading(let components):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            return calendar.date(from: components)
        }
    }
}
