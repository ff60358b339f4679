import Pruning

extension BatchResult {
    /// A batch result for tests, created together with its cost.
    package init(
        deleted: Int64, dependentsDeleted: Int64 = 0, visited: Int, lockTime: Duration,
        commit: Duration = .zero, effort: Duration? = nil,
        isAlone: Bool, isLast: Bool
    ) {
        self.init(
            deleted: deleted,
            work: BatchWork(
                visited: visited, changed: deleted, dependents: dependentsDeleted, lockTime: lockTime,
                commit: commit, effort: effort, isAlone: isAlone, isLast: isLast))
    }
}

extension BatchPacer {
    /// Learns from a batch.
    package mutating func record(_ batch: BatchResult) { record(batch.work) }
}
