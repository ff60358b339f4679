/// The times of read records: spread evenly over 60 days, oldest first, the same in every store.
///
/// None lies within an hour of a cutoff of ``ExpiredShare``: so the span that a policy keeps, which is counted from
/// the second in which the run starts, and the peer's literal cutoff select the same rows.
struct Timeline {
    /// 2025-01-01 12:00 UTC.
    static let start: Int64 = 1_735_732_800
    static let day: Int64 = 86_400
    static let length = 60 * day
    static let end = start + length
    private static let clearance: Int64 = 3_600

    /// The Unix seconds of row `index` of `count` that are older than all cutoffs, spread as evenly over as many days.
    static func old(_ index: Int, of count: Int) -> Int64 {
        start - 10 * day - length + length * Int64(index) / Int64(count)
    }

    /// The Unix milliseconds of record `index`.
    func milliseconds(_ index: Int) -> Int64 {
        let part = parts.first { index < $0.rows.upperBound } ?? parts[parts.count - 1]
        let offset = (part.until - part.from) * 1_000 * Int64(index - part.rows.lowerBound)
        return part.from * 1_000 + offset / Int64(max(1, part.rows.count))
    }

    /// Between two cutoffs each, in their order.
    let parts: [(rows: Range<Int>, from: Int64, until: Int64)]

    init(records: Int) {
        let shares: [ExpiredShare] = [.onePercent, .tenth, .half]
        let rows = [0] + shares.map { $0.rows(of: records) } + [records]
        let starts = [Self.start] + shares.map { $0.cutoff + Self.clearance }
        let ends = shares.map { $0.cutoff - Self.clearance } + [Self.end]
        parts = starts.indices.map { (rows[$0]..<rows[$0 + 1], starts[$0], ends[$0]) }
    }
}

/// How many of a store's read records a run finds expired: one store serves for all of them, by the cutoff.
enum ExpiredShare: CaseIterable {
    case none
    case onePercent
    case tenth
    case half

    /// The rows of `records` that are older than ``cutoff``.
    func rows(of records: Int) -> Int {
        switch self {
        case .none: 0
        case .onePercent: records / 100
        case .tenth: records / 10
        case .half: records / 2
        }
    }

    /// In Unix seconds. None is at midnight: a store with an index by day would be spared the boundary day.
    var cutoff: Int64 {
        switch self {
        case .none: Timeline.start - Timeline.day
        case .onePercent: Timeline.start + Timeline.length / 100
        case .tenth: Timeline.start + Timeline.length / 10
        case .half: Timeline.start + Timeline.length / 2
        }
    }
}
