import FoundationEssentials

/// Goes through the times of a table whose pages do not have its rows, slice by slice.
///
/// Between two bounds lie no rows that a slice before or after has, and the first and the last slice are open. So each
/// expired row is in one of them, whatever its time is.
struct TimeWalk {
    /// From one instant to another, which is not in it; nil is an open end.
    struct Range: Equatable {
        let lower: Date?
        let upper: Date?
    }

    private let end: Date
    private var lower: Date?
    /// Where the next slice's time begins to count: that of its oldest row.
    private var start: Date
    /// The time that as many rows as a unit has take, if they are spread evenly. No slice is shorter than a second.
    private let unit: Double
    private(set) var isOver = false

    private static let rowsOfUnit = 256.0

    /// `rows` have expired, the oldest at `oldest`, before `end`.
    init(from oldest: Date, to end: Date, rows: Int64) {
        (start, self.end) = (oldest, end)
        unit = max(1, end.timeIntervalSince(oldest) * Self.rowsOfUnit / Double(max(1, rows)))
    }

    /// The next slice, of so many units; nil at the end.
    func next(_ size: Int) -> Range? {
        guard !isOver else { return nil }
        let upper = Date(
            timeIntervalSince1970: (start.timeIntervalSince1970 + unit * Double(size)).rounded(.down))
        return Range(lower: lower, upper: upper >= end ? nil : upper)
    }

    /// Goes past `range`. The oldest row after it has the time `next`; nil if that is not known, or there is none.
    mutating func pass(_ range: Range, next: Date?) {
        guard let upper = range.upper else { return isOver = true }
        (lower, start) = (upper, max(upper, next ?? upper))
    }
}
