import Retention
import Synchronization

/// How long the batches of one run kept their stores' write locks.
package final class BatchLockTimes: Sendable {
    private let histograms = Mutex<[Name: DurationHistogram]>([:])

    /// Of a run that has not begun.
    package init() {}

    /// Takes in an event of the run, from any thread.
    package func record(_ event: PruneEvent) {
        // A batch that took no lock is none.
        guard case .batchCommitted(let report, let batch) = event, batch.work.visited > 0 else { return }
        histograms.withLock { $0[report.store, default: DurationHistogram()].add(batch.work.lockTime) }
    }

    /// What was recorded, by store.
    package var byStore: [Name: DurationHistogram] { histograms.withLock { $0 } }
}
