import FoundationEssentials
import Retention

/// What one rule did in one run.
package struct RuleReport: Equatable, Sendable {
    /// The rule.
    package let rule: Name
    /// The rule's store.
    package let store: Name
    /// The rule's table.
    package let table: String
    /// The instant before which rows were expired.
    package let cutoff: Date
    /// How the rule ended.
    package var outcome: Outcome
    /// The expired rows when the run began; nil when they could not be counted.
    package var expired: Int64?
    /// The rows of ``table`` that were deleted, and committed.
    package var deleted: Int64
    /// The rows of other tables that went with them.
    package var dependentsDeleted: Int64
    /// The rows that were kept because their time cannot be a time in the rule's unit.
    package var keptImplausible: Int64
    /// The rows that are left, or in a dry run would be; nil when nobody asked, or they could not be counted.
    package var kept: Int64?
    /// What is there, and what comes; nil when nobody asked, or it could not be read.
    package var forecast: Forecast?
    /// The transactions that deleted rows or looked for them.
    package var batches: Int
    /// The longest time that a batch kept the write lock.
    package var longestBatch: Duration
    /// From the count to the last batch.
    package var duration: Duration
    /// The part of ``duration`` after the count.
    package var deleting: Duration
    /// How the rows were found, where any were.
    package var accessPath: AccessPath?
    /// Why the outcome is not done.
    package var failure: Halt?
    /// What a guard saw that holds the rule until that is confirmed.
    package var held: HeldRule?

    /// A report of a rule that has done nothing yet.
    package init(_ task: PruneTask, outcome: Outcome = .done, failure: Halt? = nil) {
        rule = task.rule.name
        store = task.rule.store
        table = task.rule.table
        cutoff = task.cutoff
        self.outcome = outcome
        expired = nil
        deleted = 0
        dependentsDeleted = 0
        keptImplausible = 0
        kept = nil
        forecast = nil
        batches = 0
        longestBatch = .zero
        duration = .zero
        deleting = .zero
        self.failure = failure
        held = nil
    }

    /// What a rule that is held waits for; nil when it is not.
    package var waitsFor: WaitReason? { outcome == .held ? WaitReason(failure) : nil }

    /// Takes over what was counted when the run began.
    mutating func add(_ census: Census) {
        expired = census.expired
        keptImplausible = census.implausible
    }

    /// Adds a committed batch; one that took no lock is none.
    mutating func add(_ batch: BatchResult) {
        guard batch.work.visited > 0 else { return }
        deleted += batch.deleted
        dependentsDeleted += batch.dependentsDeleted
        batches += 1
        longestBatch = max(longestBatch, batch.work.lockTime)
    }

    /// Sets outcome and reason. `stopReason`: why the run is to stop, if it is.
    mutating func end(with halt: Halt, stopReason: String?) {
        let halt = halt.meeting(stopReason: stopReason, during: Self.operation(rule))
        (outcome, failure) = (halt.outcome, halt)
    }

    /// What a stop keeps from happening.
    static func operation(_ rule: Name) -> String { "finish rule \(rule)" }

    /// The report of a rule that was not tried, or ended at once.
    init(_ task: PruneTask, halted halt: Halt, stopReason: String? = nil) {
        self.init(task)
        end(with: halt, stopReason: stopReason)
    }
}

/// What a person sees of a rule before it runs: how old its table's rows are, and which go when.
package struct Forecast: Equatable, Sendable {
    /// What was found in the store.
    package let ages: AgeProfile
    /// The picture of it. What is newer than the run itself is out of place only where a row's time is its age.
    package let histogram: Histogram
    /// When the first of the rows that stay expires; nil when none does.
    package let nextExpiry: Date?

    /// What `ages` say for `task`.
    package init(of task: PruneTask, _ ages: AgeProfile) {
        self.ages = ages
        let isAge = if case .age = task.rule.expiry { true } else { false }
        histogram = Histogram(
            ages.counts, grain: ages.grain, cutoff: task.cutoff, end: isAge ? task.future : nil)
        nextExpiry = ages.next.map { task.rule.expiry.firstExpiry(of: $0, in: task.timeZone) }
    }
}
