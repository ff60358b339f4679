import Retention

/// The writer of a run: deletes a task's rows batch by batch, and gives free pages back step by step.
package protocol WorkerContext: BatchContext {
    /// Prepares the deletion of a task's rows: validates the rule again, counts the rows, and chooses an access path
    /// unless `accessPath` gives one.
    ///
    /// With `tellsRows`, this and each batch also return a fingerprint of their rows. That takes time.
    func begin(
        _ task: PruneTask, accessPath: AccessPath?, tellsRows: Bool
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath, rows: RowsFingerprint?)

    /// Deletes the next expired rows in one transaction, which visits at most `rows` rows.
    ///
    /// When it throws, the transaction was rolled back, and the next call tries the same rows again. Throws
    /// ``StoreErrorKind/busy`` after a short wait when it cannot get the write lock.
    func deleteBatch(rows: Int) throws(StoreError) -> BatchResult

    /// Why counted rows are still there after the last batch, as an error; nil if the app deleted the others or changed
    /// them meanwhile, or may have. ``StoreErrorKind/locked`` if others have them locked.
    func shortfall() throws(StoreError) -> StoreError?

    /// The error for `count` rows that, each alone in its batch, took longer than a batch should. It names the cause
    /// and what helps.
    func failureOfSlowRows(_ count: Int) throws(StoreError) -> StoreError

    /// Gives free space back to the file system in one transaction: at most `units` times ``FreeSpace/unitBytes``.
    /// Starts no further unit after `limit`, since one may cost a hundred times as much as the last.
    ///
    /// Throws like ``deleteBatch(rows:)``.
    func reclaim(units: Int, within limit: Duration) throws(StoreError) -> ReclaimStep

    /// Gives back the space that the steps have freed, as far as that has not happened yet.
    func finishReclaim() throws(StoreError)
}

/// The result of one batch of a rule.
package struct BatchResult: CommittedBatch, Codable, Equatable {
    /// The number of rows of the rule's table that were deleted.
    package let deleted: Int64
    /// The fingerprint of these rows; nil when not asked for.
    package let fingerprint: RowsFingerprint?
    /// The number of rows of other tables that were deleted with them.
    package var dependentsDeleted: Int64 { work.dependents }
    package let work: BatchWork

    package init(deleted: Int64, fingerprint: RowsFingerprint? = nil, work: BatchWork) {
        self.deleted = deleted
        self.fingerprint = fingerprint
        self.work = work
    }
}

/// The result of one step that gave space back to the file system.
package struct ReclaimStep: CommittedBatch, Equatable {
    package let bytes: Int64
    package let work: BatchWork

    package init(bytes: Int64, work: BatchWork) {
        self.bytes = bytes
        self.work = work
    }
}
