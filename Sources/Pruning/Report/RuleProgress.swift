import Retention

/// How far a rule is, or how it ended: what a worker process tells of its report.
package struct RuleProgress: ToldProgress {
    /// How the rule ended.
    package var outcome = Outcome.done
    /// The number of expired rows when the run began; nil when they could not be counted.
    package var expired: Int64?
    /// The number of rows of the rule's table whose deletion was committed.
    package var deleted: Int64 = 0
    /// The number of rows of other tables that were deleted with them.
    package var dependentsDeleted: Int64 = 0
    /// The number of rows that earlier runs deleted and that were found in the store again, before this run deleted
    /// anything; nil when unknown. Each counts in one run only.
    package var cameBack: Int64?
    /// The number of rows that were kept because their time is not plausible in the rule's unit.
    package var keptImplausible: Int64 = 0
    /// The number of rows that are left, or would be in a dry run; nil when not asked for, or when they could not be
    /// counted.
    package var kept: Int64?
    /// The number of transactions that deleted rows or looked for them.
    package var batches = 0
    /// The longest lock time of a batch.
    package var longestBatch = Duration.zero
    /// The time from the count to the last batch.
    package var duration = Duration.zero
    /// The part of ``duration`` after the count.
    package var deleting = Duration.zero
    /// How the rows were found; nil when none were deleted.
    package var accessPath: AccessPath?
    /// Why the outcome is not done.
    package var failure: Halt?
    /// What a guard saw when it held the rule; nil when it did not.
    package var held: HeldRule?

    package var isPlausible: Bool {
        [expired ?? 0, cameBack ?? 0, kept ?? 0, deleted, dependentsDeleted, keptImplausible, Int64(batches)]
            .allSatisfy(\.isCount)
            && [longestBatch, duration, deleting].allSatisfy(\.isSpan)
            && [held?.expired ?? 0, held?.rows ?? 0, held?.shown?.rows.rows ?? 0].allSatisfy(\.isCount)
    }
}
