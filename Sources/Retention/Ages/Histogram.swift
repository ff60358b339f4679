import FoundationEssentials

/// A table's rows by their times, in about a dozen bars, from the oldest to the newest. The cutoff is an edge.
package struct Histogram: Equatable, Sendable {
    /// The rows whose time is in a stretch.
    package struct Bar: Equatable, Sendable {
        /// Where the stretch begins; nil: with whatever is older than the other bars.
        package let from: Date?
        /// Before which it ends; nil: with whatever is newer than the other bars.
        package let to: Date?
        /// How many rows it has.
        package let rows: Int64

        package init(from: Date?, to: Date?, rows: Int64) {
            self.from = from
            self.to = to
            self.rows = rows
        }
    }

    /// In the order of time, without gaps. Empty when there are no rows.
    package let bars: [Bar]
    /// Of all bars but those that begin or end at the cutoff or at the end.
    package let width: BarWidth
    /// Where the future begins; nil: nothing is too new.
    package let end: Date?

    /// Drawn from `counts`, which stand in the order of time, each counting a stretch of `grain` seconds at the most,
    /// and none across `cutoff` or `end`. What is not before ``end`` has a bar of its own.
    package init(_ counts: [TimeCount], grain: Int64, cutoff: Date, end: Date?) {
        let past = counts.filter { count in end.map { count.start < $0 } ?? true }
        let range = Self.range(of: past, grain: grain, cutoff: cutoff)
        let (edges, width) = Self.edges(of: range, grain: grain, cutoff: cutoff, end: end)
        self.width = width
        self.end = end
        bars = counts.isEmpty ? [] : Self.bars(counts, between: edges)
    }

    /// More lines do not fit on a screen with what is said of them.
    static let mostBars = 20
    /// Of a table's rows, those at either end that may be left to a bar without an end of its own, so that a few rows
    /// that are far away do not make one bar of all others.
    static let outliers = 0.005
    /// How much narrower the bars must become for that.
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

    /// The narrowest width with few enough bars.
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

    private static func bars(_ counts: [TimeCount], between edges: [Date]) -> [Bar] {
        let limits: [Date?] = [nil] + edges + [nil]
        var rest = counts[...]
        let bars = zip(limits, limits.dropFirst()).map { from, to in
            let within = rest.prefix { count in to.map { count.start < $0 } ?? true }
            rest = rest.dropFirst(within.count)
            return Bar(from: from, to: to, rows: within.reduce(0) { $0 + $1.rows })
        }
        return bars.filter { ($0.from != nil && $0.to != nil) || $0.rows > 0 }
    }
}

/// How many rows of a table have their time in a short stretch that begins at an instant.
package struct TimeCount: Equatable, Sendable {
    /// Where the stretch begins; it ends before the next one does.
    package let start: Date
    /// The rows whose time is in it.
    package let rows: Int64

    package init(start: Date, rows: Int64) {
        self.start = start
        self.rows = rows
    }
}
