import FoundationEssentials

/// Goes through the rows of a table, or of its partitions one after the other, in the order of an index on time.
struct IndexWalk {
    /// Some rows that follow each other in the index of one table.
    struct Range {
        /// The index of the table among the leaves.
        let leaf: Int
        /// The time of the first row; nil at the index's beginning.
        let from: String?
        let rows: Int
    }

    /// A batch has fewer rows than the pages of a batch of a ``HeapWalk``, as each row is on a page of its own.
    private static let rowsPerPage = 16

    private let leaves: Int
    /// The tables that go as a whole.
    private var leftOut: Set<Int> = []
    private var leaf = 0
    private var time: String?
    /// How many times as many rows the next batch locks, since the last one got only rows that stay.
    private var width = 1
    /// Whether the walk has begun again, for rows that others had locked.
    private var isRevisiting = false

    init(leaves: Int) { self.leaves = leaves }

    /// Leaves out a table, before the walk has begun.
    mutating func leaveOut(_ number: Int) {
        leftOut.insert(number)
        leaf = nextLeaf(from: 0)
    }

    private func nextLeaf(from number: Int) -> Int {
        (number..<leaves).first { !leftOut.contains($0) } ?? leaves
    }

    /// Whether nothing is left to visit.
    var isOver: Bool { leaf >= leaves }

    /// The next rows, as many as a batch of so many pages may have; nil at the end.
    func next(_ pages: Int) -> Range? {
        isOver ? nil : Range(leaf: leaf, from: time, rows: pages * Self.rowsPerPage * width)
    }

    /// Goes past `range`, on to the time of its last row, as others may have the same. If all that were locked have that
    /// time, and stay, the next range must reach further. At the end it begins once more if it may.
    mutating func pass(_ range: Range, _ end: SliceEnd, gotNone: Bool, mayRevisit: Bool) {
        let isStuck = !end.isLast && gotNone && end.lastTime == range.from
        width = isStuck ? width * 2 : end.isLast || end.lastTime != range.from ? 1 : width
        (leaf, time) = end.isLast ? (nextLeaf(from: range.leaf + 1), nil) : (range.leaf, end.lastTime)
        guard isOver, mayRevisit, !isRevisiting else { return }
        isRevisiting = true
        (leaf, time) = (nextLeaf(from: 0), nil)
    }
}

/// Where a batch ended.
struct SliceEnd {
    /// Whether rows stayed because others had locked them.
    var missedRows = false
    /// The time of the last row, on the way by the index.
    var lastTime: String?
    /// Whether the index has no more rows.
    var isLast = false
    /// The time of the oldest row after a slice of time that had none.
    var next: Date?
}
