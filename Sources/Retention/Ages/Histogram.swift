import FoundationEssentials

/// A table's rows by time, in up to about twenty bars, oldest first. The cutoff is an edge between bars.
package struct Histogram: Equatable, Sendable {
    /// The number of rows whose time is within a stretch.
    package struct Bar: Equatable, Sendable {
        /// Where the stretch begins; nil if the bar includes everything older than the next bar.
        package let from: Date?
        /// Where the stretch ends, exclusive; nil if the bar includes everything newer than the previous bar.
        package let to: Date?
        package let rows: Int64
        /// The number of these rows that are old enough to be deleted, and stay for another reason.
        package var staying: Int64 = 0

        package init(from: Date?, to: Date?, rows: Int64, staying: Int64 = 0) {
            self.from = from
            self.to = to
            self.rows = rows
            self.staying = staying
        }
    }

    /// The bars in order of time, without gaps. Empty when there are no rows.
    package let bars: [Bar]
    /// The width of all bars, except those that begin or end at the cutoff or at ``end``.
    package let width: BarWidth
    /// Where the future begins; nil when no time is too new.
    package let end: Date?

    /// A histogram of `counts`, which must be in order of time. Each of them counts a stretch of at most `grain`
    /// seconds, and none crosses `cutoff` or `end`. Times at or after ``end`` get a bar of their own. `staying` counts
    /// those before the cutoff that stay.
    package init(
        _ counts: [TimeCount], staying: [TimeCount] = [], grain: Int64, cutoff: Date, end: Date?
    ) {
        let past = counts.filter { count in end.map { count.start < $0 } ?? true }
        let range = Self.range(of: past, grain: grain, cutoff: cutoff)
        let (edges, width) = Self.edges(of: range, grain: grain, cutoff: cutoff, end: end)
        self.width = width
        self.end = end
        bars = counts.isEmpty ? [] : Self.bars(counts, staying, between: edges)
    }

    /// More bars do not fit on a screen together with their labels.
    static let mostBars = 20
    /// The share of rows, at each end, that may go into a bar without a bound. Otherwise a few rows far away would
    /// squeeze all others into one bar.
    static let outliers = 0.005
    /// How many times narrower the other bars must become to justify that.
    static let worthLeavingOut = 4.0

    private static func range(of counts: [TimeCount], grain: Int64, cutoff: Date) -> ClosedRange<Date> {
        let all = including(cutoff, counts)
        let bulk = including(cutoff, withoutOutliers(counts))
        let narrower = width(for: bulk, grain: grain).approximateSeconds
        return narrower * worthLeavingOut <= width(for: all, grain: grain).approximateSeconds ? bulk : all
    }

    private static func including(_ cutoff: Date, _ counts: [TimeCount]) -> ClosedRange<Date> {
        min(cutoff, counts.first?.start ?? cutoff)...max(cutoff, counts.last?.start ?? cutoff)
    }

    private static func withoutOutliers(_ counts: [TimeCount]) -> [TimeCount] {
        let most = Int64(Double(counts.reduce(0) { $0 + $1.rows }) * outliers)
        func outlying(_ counts: some Sequence<TimeCount>) -> Int {
            var passed: Int64 = 0
            return counts.prefix {
                passed += $0.rows
                return passed <= most
            }.count
        }
        return Array(counts.dropFirst(outlying(counts)).dropLast(outlying(counts.reversed())))
    }

    /// The narrowest width that needs at most ``mostBars`` bars.
    private static func width(for range: ClosedRange<Date>, grain: Int64) -> BarWidth {
        let widths = BarWidth.all.filter { $0.approximateSeconds >= Double(grain) }
        let fitting = widths.first { width in
            var (edge, count) = (width.edge(at: range.lowerBound), 0)
            while edge <= range.upperBound, count <= mostBars {
                edge = width.edge(after: edge)
                count += 1
            }
            return count <= mostBars
        }
        return fitting ?? .months(6_000)
    }

    private static func edges(
        of range: ClosedRange<Date>, grain: Int64, cutoff: Date, end: Date?
    ) -> ([Date], BarWidth) {
        let width = width(for: range, grain: grain)
        var edges = [width.edge(at: range.lowerBound)]
        while let last = edges.last, last <= range.upperBound { edges.append(width.edge(after: last)) }
        if let end { edges = edges.filter { $0 < end } + [end] }
        return (Set(edges + [cutoff]).sorted(), width)
    }

    private static func bars(
        _ counts: [TimeCount], _ staying: [TimeCount], between edges: [Date]
    ) -> [Bar] {
        let limits: [Date?] = [nil] + edges + [nil]
        func take(_ rest: inout ArraySlice<TimeCount>, before end: Date?) -> Int64 {
            let within = rest.prefix { count in end.map { count.start < $0 } ?? true }
            rest = rest.dropFirst(within.count)
            return within.reduce(0) { $0 + $1.rows }
        }
        var (all, left) = (counts[...], staying[...])
        let bars = zip(limits, limits.dropFirst()).map { from, to in
            let rows = take(&all, before: to)
            return Bar(from: from, to: to, rows: rows, staying: min(rows, take(&left, before: to)))
        }
        return bars.filter { ($0.from != nil && $0.to != nil) || $0.rows > 0 }
    }
}

/// The number of rows of a table whose time is within a short stretch.
package struct TimeCount: Codable, Equatable, Sendable {
    /// Where the stretch begins. It ends before the next one begins.
    package let start: Date
    /// The number of rows in it.
    package let rows: Int64

    package init(start: Date, rows: Int64) {
        self.start = start
        self.rows = rows
    }
}
