extension Span {
    /// Whether the span is longer than `other` on any date. A month may have only 28 days, and a clock change adds or
    /// removes an hour of a span of days.
    package func isSurelyLonger(than other: Span) -> Bool {
        shortestMilliseconds > other.longestMilliseconds
    }

    private var shortestMilliseconds: Int64 {
        let months = 12 * self[.year] + self[.month]
        // A lower bound for whole months: one has at least 28 days, two have 59, twelve have 365.
        let days = (months > 0 ? months * 365 / 12 - 2 : 0) + 7 * self[.week] + self[.day]
        return days * Unit.day.longestMilliseconds + fixedMilliseconds - clockChange
    }

    private var longestMilliseconds: Int64 {
        amounts.reduce(clockChange) { $0 + $1.value * $1.key.longestMilliseconds }
    }

    private var fixedMilliseconds: Int64 {
        amounts.filter { !$0.key.isOnCalendar }.reduce(0) { $0 + $1.value * $1.key.longestMilliseconds }
    }

    private var clockChange: Int64 {
        amounts.keys.contains(where: \.isOnCalendar) ? Unit.hour.longestMilliseconds : 0
    }

    private subscript(unit: Unit) -> Int64 { amounts[unit] ?? 0 }
}

extension Span.Unit {
    fileprivate var isOnCalendar: Bool {
        switch self {
        case .year, .month, .week, .day: true
        case .hour, .minute, .second, .millisecond: false
        }
    }
}
