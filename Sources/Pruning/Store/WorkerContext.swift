import Retention

/// The one writer: deletes a task's rows batch by batch.
public protocol WorkerContext {
    /// Prepares the deletion of a task's rows: validates the rule again, counts, and chooses how to find the rows, unless
    /// `plan` says it.
    func begin(_ task: PruneTask, plan: DeletePlan?) throws(StoreError) -> (census: Census, plan: DeletePlan)

    /// Deletes the next expired rows, looking at `rows` rows at the most, in one transaction.
    ///
    /// What is thrown was rolled back, and the same rows come again with the next call. Throws
    /// ``StoreError/Kind-swift.enum/busy`` after a short wait when the write lock is not to be had.
    func deleteBatch(rows: Int) throws(StoreError) -> BatchResult

    /// Keeps the write-ahead log short, without keeping anybody waiting; called between batches.
    ///
    /// Throws ``StoreError/Kind-swift.enum/logPinned`` when the log is at its limit and cannot be reset.
    func maintainLog() throws(StoreError)

    /// Closes the context.
    func close()
}
