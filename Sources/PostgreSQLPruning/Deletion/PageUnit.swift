/// How many pages the smallest batch visits.
///
/// A batch has a cost of its own, whatever its size: the commit, and the newest rows of each group. The smallest batch is
/// therefore some pages. It is halved where even such a batch takes too long, but not where that makes it no shorter.
struct PageUnit: Equatable {
    private(set) var pages: Int64
    /// The time of a smallest batch at twice the size, after it was halved.
    private var before: Duration?
    /// Whether halving has not helped.
    private var isFloor = false

    static let most: Int64 = 16

    /// With `isSmall`, a batch may have a single page: its rows are all that may go in a while.
    init(isSmall: Bool = false) { pages = isSmall ? 1 : Self.most }

    /// How many times the usual lock time a smallest batch may take.
    static let patience = 2.5
    /// A batch at half the size must take at most this share of the time.
    static let worthwhile = 0.75

    /// Learns from a batch that took `time`, where `limit` is the longest that one should take. `isSmallest` says whether it
    /// visited one unit.
    mutating func learn(_ time: Duration, isSmallest: Bool, limit: Duration) {
        guard isSmallest, !isFloor else { return }
        if let earlier = before {
            before = nil
            if time > earlier * Self.worthwhile {
                pages *= 2
                isFloor = true
                return
            }
        }
        if time > limit, pages > 1 {
            pages /= 2
            before = time
        }
    }

    /// After a batch that was interrupted because it took too long.
    mutating func shrink() {
        guard !isFloor else { return }
        pages = max(1, pages / 4)
        before = nil
    }
}
