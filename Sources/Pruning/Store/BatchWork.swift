/// What one committed transaction cost, whatever it wrote: the size of the next one follows it.
package struct BatchWork: Equatable, Sendable {
    /// What was looked at: the batch size limits it.
    package let visited: Int
    /// How much of that was deleted, put back or given back.
    package let changed: Int64
    /// The rows of other tables that were deleted with it.
    package let dependents: Int64
    /// How long the write lock was kept, from its grant to the end of the commit.
    package let lockTime: Duration
    /// The commit's part of ``lockTime``: it depends on the disk.
    package let commit: Duration
    /// Whether nobody else had the store open when the batch ended, so that nobody can be waiting.
    package let isAlone: Bool
    /// Whether nothing is left to visit.
    package let isLast: Bool

    package init(
        visited: Int, changed: Int64, dependents: Int64 = 0, lockTime: Duration, commit: Duration = .zero,
        isAlone: Bool, isLast: Bool
    ) {
        self.visited = visited
        self.changed = changed
        self.dependents = dependents
        self.lockTime = lockTime
        self.commit = commit
        self.isAlone = isAlone
        self.isLast = isLast
    }
}

/// What one committed transaction did.
package protocol CommittedBatch: Sendable {
    var work: BatchWork { get }
}

extension CommittedBatch {
    /// Whether nothing is left to visit.
    package var isLast: Bool { work.isLast }
}

/// A context that writes in short transactions, one after the other.
package protocol BatchContext {
    /// How often somebody else has written to the store since the last batch; 1 where it is only known that somebody
    /// has. Costs next to nothing.
    func othersCommits() throws(StoreError) -> Int

    /// Does what the store needs between two batches, without keeping anybody waiting.
    ///
    /// Throws ``StoreError/Kind-swift.enum/pinned`` when a reader keeps it from that, and it cannot wait any longer.
    func maintain() throws(StoreError)

    /// Closes the context.
    func close()
}
