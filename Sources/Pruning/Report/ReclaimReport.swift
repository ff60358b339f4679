import Retention

/// What a run did with a store's free pages after its rules.
package struct ReclaimReport: ProgressReport, Equatable, Sendable {
    package let store: Name
    package var progress = ReclaimProgress()

    /// An empty report.
    package init(_ store: Name) {
        self.store = store
    }

    /// The operation that errors of this stage name.
    static let operation = "give free pages back"

    package var operation: String { Self.operation }

    /// Adds a committed step. A step that gave nothing back does not count.
    mutating func add(_ step: ReclaimStep) {
        guard step.bytes > 0 else { return }
        progress.reclaimedBytes += step.bytes
        progress.freeBytes = progress.freeBytes.map { max(0, $0 - step.bytes) }
        progress.steps += 1
        progress.longestStep = max(progress.longestStep, step.work.lockTime)
    }
}

/// What became of a store's free space.
package struct ReclaimProgress: ToldProgress {
    /// How it ended: done, stopped, skipped or failed. It does not affect the run's outcome; that the store
    /// is damaged is for the exit status to say.
    package var outcome = Outcome.done
    /// How many bytes smaller the store's file became.
    package var reclaimedBytes: Int64 = 0
    /// How many bytes are still free in it; nil when that could not be read.
    package var freeBytes: Int64?
    /// The number of transactions that gave pages back.
    package var steps = 0
    /// The longest lock time of a step.
    package var longestStep = Duration.zero
    /// The time from the first look at the file to its last truncation.
    package var duration = Duration.zero
    /// Why the outcome is not done.
    package var failure: Halt?

    package var isPlausible: Bool {
        [reclaimedBytes, freeBytes ?? 0, Int64(steps)].allSatisfy(\.isSize)
            && [longestStep, duration].allSatisfy(\.isSpan)
    }
}
