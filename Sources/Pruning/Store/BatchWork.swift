/// The cost of one committed transaction of any kind. The size of the next one is derived from it.
package struct BatchWork: Codable, Equatable, Sendable {
    /// The number of rows or units visited, which the batch size limits.
    package let visited: Int
    /// How many of these were deleted, restored or given back.
    package let changed: Int64
    /// The number of rows of other tables that were deleted with them.
    package let dependents: Int64
    /// The lock time: from the grant of the write lock to the end of the commit.
    package let lockTime: Duration
    /// The commit's part of ``lockTime``, which depends on the disk.
    package let commit: Duration
    /// The processor time that the batch took without the commit, which does not depend on what else the machine does.
    /// Nil where another process, such as a server, did the work.
    package let effort: Duration?
    /// Whether no other connection had the store open when the batch ended, so that nobody can be waiting.
    package let isAlone: Bool
    /// Whether nothing is left to visit.
    package let isLast: Bool

    package init(
        visited: Int, changed: Int64, dependents: Int64 = 0, lockTime: Duration, commit: Duration = .zero,
        effort: Duration? = nil, isAlone: Bool, isLast: Bool
    ) {
        self.visited = visited
        self.changed = changed
        self.dependents = dependents
        self.lockTime = lockTime
        self.commit = commit
        self.effort = effort
        self.isAlone = isAlone
        self.isLast = isLast
    }
}

/// The result of one committed transaction.
package protocol CommittedBatch: Sendable {
    var work: BatchWork { get }
}

extension CommittedBatch {
    /// Whether nothing is left to visit.
    package var isLast: Bool { work.isLast }
}

/// A context that writes in a sequence of short transactions.
package protocol BatchContext {
    /// How often others have written to the store since the last batch; 1 where only the fact is known. Very cheap.
    func othersCommits() throws(StoreError) -> Int

    /// Why the next batch should wait for others that the batches before burden, such as replicas; nil if it need not.
    func burden() throws(StoreError) -> StoreError?

    /// Does the maintenance that the store needs between two batches, without blocking anybody.
    ///
    /// Throws ``StoreErrorKind/pinned`` when a reader prevents it and it cannot be postponed further.
    func maintain() throws(StoreError)

    func close()
}

extension BatchContext {
    package func burden() throws(StoreError) -> StoreError? { nil }
}
