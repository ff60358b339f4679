import FoundationEssentials
import Glibc
import Retention

/// Read-only access to a store, for checking and counting.
package protocol ViewContext {
    /// Throws ``StoreError/Kind-swift.enum/schema`` when the rule does not fit the store, or when deleting its
    /// rows would reach further than the rule declares.
    func validate(_ rule: RetentionRule) throws(StoreError)

    /// Throws ``StoreError/Kind-swift.enum/tooSlow`` when deleting one row of the rule's would take longer than a batch
    /// should; validates it.
    func checkScans(of rule: RetentionRule) throws(StoreError)

    /// Whether the task may have something to delete; validates its rule. Costs next to nothing where an index on time
    /// answers; false is certain.
    func mayHaveExpired(_ task: PruneTask) throws(StoreError) -> Bool

    /// Counts what the task would delete, and what it cannot judge; validates its rule.
    func census(of task: PruneTask) throws(StoreError) -> Census

    /// Which rows ``census(of:)`` counts.
    func fingerprint(of task: PruneTask) throws(StoreError) -> RowsFingerprint

    /// What ``census(of:)`` counts, and how old the rows are, in one pass over the table; validates the task's rule.
    func ages(of task: PruneTask) throws(StoreError) -> AgeProfile

    /// What stands in the rule's time column in the first and the last `rows` rows of its table, in the order in which
    /// they are stored. Throws ``StoreError/Kind-swift.enum/schema`` when there is no such table or column.
    func timeSample(of task: PruneTask, rows: Int) throws(StoreError) -> TimeSample

    /// Counts all rows of the task's table, but for those that a dry run takes for deleted.
    func rowCount(of task: PruneTask) throws(StoreError) -> Int64

    /// The `count` newest of the times in the rule's column that can be one in its unit, up to `date`, newest first; fewer
    /// when there are no more.
    func newestTimes(
        _ count: Int, of rule: RetentionRule, notAfter date: Date
    ) throws(StoreError) -> [Date]

    /// How much of the store is free; nil where it cannot give free space back, or must not.
    func freeSpace() throws(StoreError) -> FreeSpace?

    /// How large the store is, and how much of it is free, whether or not that can be given back.
    func size() throws(StoreError) -> FreeSpace

    /// Why an app may notice a run on this store, and what helps, in one line; nil where nothing is known to speak for it.
    func disturbance() throws(StoreError) -> String?

    /// Reads the whole store and throws ``StoreError/Kind-swift.enum/damaged`` when it is not whole.
    func verifyIntegrity() throws(StoreError)

    /// Closes the context.
    func close()
}
