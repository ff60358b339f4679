/// How much of a store's read records a run finds expired: the same store serves for all of them, by its cutoff.
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

    /// In Unix seconds. None is at midnight, which would spare a store with an index by day the boundary day.
    var cutoff: Int64 {
        switch self {
        case .none: Timeline.start - Timeline.day
        case .onePercent: Timeline.start + Timeline.length / 100
        case .tenth: Timeline.start + Timeline.length / 10
        case .half: Timeline.start + Timeline.length / 2
        }
    }
}
