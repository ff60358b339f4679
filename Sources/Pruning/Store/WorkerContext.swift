import Retention

/// The one writer: deletes a task's rows batch by batch, and gives free pages back step by step.
package protocol WorkerContext: BatchContext {
    /// Prepares the deletion of a task's rows: validates the rule again, counts, and chooses how to find the rows, unless
    /// `accessPath` says it.
    ///
    /// `tellsRows`: whether it also tells which rows it has counted, and each batch which it deleted. That takes time.
    func begin(
        _ task: PruneTask, accessPath: AccessPath?, tellsRows: Bool
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath, rows: RowsFingerprint?)

    /// Deletes the next expired rows, looking at `rows` rows at the most, in one transaction.
    ///
    /// What is thrown was rolled back, and the same rows come again with the next call. Throws
    /// ``StoreError/Kind-swift.enum/busy`` after a short wait when the write lock is not to be had.
    func deleteBatch(rows: Int) throws(StoreError) -> BatchResult

    /// Why `count` rows, each alone in its batch, took longer than a batch should, what is to blame and what helps.
    func failureOfSlowRows(_ count: Int) throws(StoreError) -> StoreError

    /// Gives free space back to the file system, in one transaction: so many ``FreeSpace/unitBytes`` at the most, and no
    /// more after `limit`, for one may cost a hundred times what the last one did.
    ///
    /// Throws as ``deleteBatch(rows:)`` does.
    func reclaim(units: Int, within limit: Duration) throws(StoreError) -> ReclaimStep

    /// Gives back what the steps have emptied, where that has not happened yet.
    ///
    /// Throws ``StoreError/Kind-swift.enum/pinned`` while a reader needs it.
    func finishReclaim() throws(StoreError)
}

extension WorkerContext {
    /// The same where nobody asks which rows they are.
    package func begin(
        _ task: PruneTask, accessPath: AccessPath?
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath) {
        let begun = try begin(task, accessPath: accessPath, tellsRows: false)
        return (begun.census, begun.accessPath)
    }
}

/// What one batch of a rule deleted.
package struct BatchResult: CommittedBatch, Equatable {
    /// The rows of the rule's table that were deleted.
    package let deleted: Int64
    /// Which rows these were; nil where nobody asked.
    package let fingerprint: RowsFingerprint?
    /// The rows of other tables that went with them.
    package var dependentsDeleted: Int64 { work.dependents }
    package let work: BatchWork

    package init(deleted: Int64, fingerprint: RowsFingerprint? = nil, work: BatchWork) {
        self.deleted = deleted
        self.fingerprint = fingerprint
        self.work = work
    }
}

/// What one step gave back to the file system.
package struct ReclaimStep: CommittedBatch, Equatable {
    package let bytes: Int64
    package let work: BatchWork

    package init(bytes: Int64, work: BatchWork) {
        self.bytes = bytes
        self.work = work
    }
}
