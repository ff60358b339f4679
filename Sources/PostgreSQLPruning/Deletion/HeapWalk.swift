/// Goes through the pages of a table, or of its partitions one after the other, range by range.
///
/// A range of pages is read by a TID range scan, and each page is written once. Rows whose new version moved behind the walk
/// are the next run's.
struct HeapWalk {
    /// Some adjacent pages of one table.
    struct Range: Equatable {
        /// The index of the table among the leaves.
        let leaf: Int
        let pages: Swift.Range<Int64>

        /// The TIDs of the range: from the first on, to before the second.
        var bounds: [String] { ["(\(pages.lowerBound),0)", "(\(pages.upperBound),0)"] }
    }

    /// The pages of each table when the walk began. Later ones have only rows that nobody has counted.
    private var pages: [Int64]
    /// Whether the last pages come first: rows usually refer to rows that were there before them, and go before these.
    private var isBackwards: Bool
    /// How many tables, and how many pages of the next one, are passed.
    private var leaf = 0
    private var page: Int64 = 0
    /// Ranges where rows were locked by others.
    private(set) var missed: [Range] = []
    /// How often the walk has gone back to missed ranges.
    private var rounds = 0

    init(pages: [Int64], isBackwards: Bool = false) {
        (self.pages, self.isBackwards) = (pages, isBackwards)
        skipEmpty()
    }

    /// Begins anew, in the other direction.
    mutating func restart() {
        (leaf, page, rounds, missed) = (0, 0, 0, [])
        isBackwards.toggle()
        skipEmpty()
    }

    /// Leaves out a table, before the walk has begun.
    mutating func leaveOut(_ number: Int) {
        pages[number] = 0
        skipEmpty()
    }

    private mutating func skipEmpty() {
        while leaf < pages.count, page >= pages[index] { (leaf, page) = (leaf + 1, 0) }
    }

    private var index: Int { isBackwards ? pages.count - 1 - leaf : leaf }

    /// The next range of at most `count` pages; nil at the end. Missed ranges come at the end, each once more.
    func next(_ count: Int) -> Range? {
        guard leaf < pages.count else { return rounds == 0 ? nil : missed.first }
        let end = min(pages[index], page + Int64(max(1, count)))
        return Range(leaf: index, pages: isBackwards ? pages[index] - end..<pages[index] - page : page..<end)
    }

    /// Whether only missed ranges are left.
    var isRevisiting: Bool { leaf >= pages.count && rounds > 0 }

    /// Goes past `range`. If rows of it were locked, it is visited again at the end.
    mutating func pass(_ range: Range, missedRows: Bool) {
        if isRevisiting {
            missed.removeFirst()
        } else {
            page = isBackwards ? pages[index] - range.pages.lowerBound : range.pages.upperBound
            skipEmpty()
            if missedRows { missed.append(range) }
        }
        if leaf >= pages.count, rounds == 0, !missed.isEmpty { rounds = 1 }
    }

    /// Whether nothing is left to visit.
    var isOver: Bool { leaf >= pages.count && (rounds == 0 || missed.isEmpty) }
}
