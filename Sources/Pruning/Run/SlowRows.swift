/// Decides whether deleting each row takes as long as reading a whole table.
///
/// A batch of the smallest size is slow if its own work took longer for each row than a batch should take. What counts is
/// the processor time: on a busy machine, or with a slow disk, a run is slow and does not fail. Where another process did
/// the work, only the whole time is known. Then the batches must be slow for much longer.
struct SlowRows: Equatable, Sendable {
    /// How many batches in a row were slow.
    private(set) var batches = 0
    /// The time of those of which no processor time is known.
    private var unexplained = Duration.zero

    /// After this many slow batches, all rows are assumed to be slow. A run could take days.
    static let most = 50
    /// After so much time, it is not the machine that is busy for a while.
    static let longestUnexplained = Duration.seconds(600)
    /// The part of the lock time that one of many rows deleted together may take. A few hundredths of a millisecond are
    /// usual.
    private static let largestPart = 0.02

    /// Learns from a batch, which should take at most `usual`. `isSmallest` says whether no smaller one is possible.
    mutating func record(_ batch: BatchWork, isSmallest: Bool, _ usual: Duration) {
        let work = batch.effort ?? batch.lockTime - batch.commit
        let parts = Self.largestPart * Double(batch.changed + batch.dependents)
        guard isSmallest, batch.changed > 0, work > usual * max(Double(batch.changed), parts) else {
            (batches, unexplained) = (0, .zero)
            return
        }
        batches += 1
        if batch.effort == nil { unexplained += work }
    }

    /// Whether there were so many that all rows are slow.
    var meetsNoOther: Bool {
        batches >= Self.most && (unexplained == .zero || unexplained >= Self.longestUnexplained)
    }
}
