import Retention

/// What became of a store's free pages after the rules of a run.
package struct ReclaimReport: Equatable, Sendable {
    /// The store.
    package let store: Name
    /// How it ended: done, stopped, skipped or failed. It has no part in the run's outcome: the rules were done.
    package var outcome: Outcome
    /// What the store's file became smaller by, in bytes.
    package var reclaimedBytes: Int64
    /// What is still free in it, in bytes; nil when that could not be read.
    package var freeBytes: Int64?
    /// The transactions that gave pages back.
    package var steps: Int
    /// The longest time that a step kept the write lock.
    package var longestStep: Duration
    /// From the look at the file to its last cut.
    package var duration: Duration
    /// Why the outcome is not done.
    package var failure: Halt?

    /// A report of a store that has given nothing back yet.
    package init(_ store: Name) {
        self.store = store
        outcome = .done
        reclaimedBytes = 0
        freeBytes = nil
        steps = 0
        longestStep = .zero
        duration = .zero
        failure = nil
    }

    /// What the errors of this stage say was tried.
    static let operation = "give free pages back"

    /// Adds a committed step; one that found nothing to give back is none.
    mutating func add(_ step: ReclaimStep) {
        guard step.bytes > 0 else { return }
        reclaimedBytes += step.bytes
        freeBytes = freeBytes.map { max(0, $0 - step.bytes) }
        steps += 1
        longestStep = max(longestStep, step.work.lockTime)
    }

    /// Sets outcome and reason. `stopReason`: why the run is to stop, if it is.
    mutating func end(with halt: Halt, stopReason: String?) {
        let halt = halt.meeting(stopReason: stopReason, during: Self.operation)
        (outcome, failure) = (halt.outcome, halt)
    }
}
