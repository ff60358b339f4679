import FoundationEssentials
import Glibc
import Retention

/// Read-only access to a store, for checking and counting.
package protocol ViewContext {
    /// Throws ``StoreErrorKind/schema`` when the rule does not fit the store, or when the deletion would
    /// affect more than the rule declares.
    func validate(_ rule: RetentionRule) throws(StoreError)

    /// Validates the rule. Throws ``StoreErrorKind/tooSlow`` when deleting one of its rows would take
    /// longer than a batch should.
    func checkScans(of rule: RetentionRule) throws(StoreError)

    /// Validates the task's rule. Throws ``StoreErrorKind/schema`` when it marks rows, and the store refuses the mark for
    /// an expired one.
    func checkMark(by task: PruneTask) throws(StoreError)

    /// What a person should know of the task before a run, in one line each: expired rows that stay because of the schema.
    func remarks(before task: PruneTask) throws(StoreError) -> [String]

    /// Throws ``StoreErrorKind/schema`` when rows that would go cannot, because rows that stay refer to them.
    func checkReferences(to task: PruneTask) throws(StoreError)

    /// Validates the task's rule and returns whether it may have expired rows; false is certain. Very cheap where an
    /// index on time answers.
    func mayHaveExpired(_ task: PruneTask) throws(StoreError) -> Bool

    /// Validates the task's rule. Counts the rows that it would delete, and those that it cannot judge.
    func census(of task: PruneTask) throws(StoreError) -> Census

    /// The fingerprint of the rows that ``census(of:)`` counts.
    func fingerprint(of task: PruneTask) throws(StoreError) -> RowsFingerprint

    /// Validates the task's rule. Reads the counts of ``census(of:)`` and the ages of the rows in one pass over the
    /// table.
    func ages(of task: PruneTask) throws(StoreError) -> AgeProfile

    /// Validates the task's rule. Judges the row with this primary key, one text for each column; nil when there is none.
    func judge(_ key: [String], by task: PruneTask) throws(StoreError) -> RowJudgement?

    /// The values of the rule's time column in the first and the last `rows` rows of its table, in storage order.
    /// Throws ``StoreErrorKind/schema`` when there is no such table or column.
    func timeSample(of task: PruneTask, rows: Int) throws(StoreError) -> TimeSample

    /// Counts all rows of the task's table, without those that a dry run presumes deleted.
    func rowCount(of task: PruneTask) throws(StoreError) -> Int64

    /// How new the rows are that the task would delete; nil if there are none, or if the rule has no time. Counts at most
    /// `enough` newer rows; nil counts all, and the rows with a plausible time.
    func recency(of task: PruneTask, enough: Int64?) throws(StoreError) -> Recency?

    /// What tells the database and the task's table from others in their place; nil where nothing does.
    func identity(of task: PruneTask) throws(StoreError) -> String?

    /// The `count` newest plausible times in the rule's column up to `date`, newest first; fewer when there are not as
    /// many.
    func newestTimes(
        _ count: Int, of rule: RetentionRule, notAfter date: Date
    ) throws(StoreError) -> [Date]

    /// How many rows that the task's rule deleted are in the store again and were not counted before. Nil if that is
    /// unknown: the rule has no identity, or the archive has no identities of its rows.
    ///
    /// Call this before the run deletes anything, and only while the store is claimed.
    func cameBack(of task: PruneTask) throws(StoreError) -> Int64?

    /// The store's free space; nil where it cannot give space back, or must not.
    func freeSpace() throws(StoreError) -> FreeSpace?

    /// The store's size and free space, whether or not that can be given back.
    func size() throws(StoreError) -> FreeSpace

    /// Why an app may notice a run on this store, and what helps, in one line; nil when no such reason is known.
    func disturbance() throws(StoreError) -> String?

    /// What a person should know of the store after rows of these tables were deleted, in one line each.
    func remarks(on tables: [String]) throws(StoreError) -> [String]

    /// The time by the store's own clock; nil for a store without one.
    func clock() -> Date?

    /// The versions of the app that have the store's schema; nil for a store that may have any. Throws
    /// ``StoreErrorKind/unknownSchema`` when the schema is none of the known ones.
    func knownSchema() throws(StoreError) -> String?

    /// The schema of the tables that the store's rules use, for a gate that shall know it. No gate is passed.
    func schema() throws(StoreError) -> StoreSchema

    /// Throws ``StoreErrorKind/damaged`` when what counts as free may be in use.
    func verifyFreeSpace() throws(StoreError)

    /// Reads the whole store. Throws ``StoreErrorKind/damaged`` when it is damaged.
    func verifyIntegrity() throws(StoreError)

    /// Reads the store as far as `rules` need it. Returns why the rest was not read; nil if there is none. Throws
    /// ``StoreErrorKind/damaged`` when what was read is damaged.
    func verifyIntegrity(for rules: [RetentionRule]) throws(StoreError) -> String?

    func close()
}

extension ViewContext {
    package func identity(of task: PruneTask) throws(StoreError) -> String? { nil }

    package func remarks(on tables: [String]) throws(StoreError) -> [String] { [] }

    package func clock() -> Date? { nil }

    package func verifyFreeSpace() throws(StoreError) {}

    package func verifyIntegrity(for rules: [RetentionRule]) throws(StoreError) -> String? {
        try verifyIntegrity()
        return nil
    }
}
