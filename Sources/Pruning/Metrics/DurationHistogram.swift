import Retention
import Synchronization

/// Counts durations by length, over all runs, as a Prometheus histogram does.
package struct DurationHistogram: Codable, Equatable, Sendable {
    /// The upper bounds of the buckets, in seconds. A last bucket without a bound follows.
    package static let bounds = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1]

    /// The count of each bucket alone, not cumulative. The bucket without a bound is last.
    package private(set) var counts: [Int64]
    /// The sum of all durations, in seconds.
    package private(set) var sum: Double

    /// An empty histogram.
    package init() {
        counts = Array(repeating: 0, count: Self.bounds.count + 1)
        sum = 0
    }

    /// Decodes a stored histogram. One with other buckets, written by another version, starts from zero.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        let kept = try container.decode([Int64].self, forKey: .counts)
        guard kept.count == counts.count else { return }
        counts = kept
        sum = try container.decode(Double.self, forKey: .sum)
    }

    package mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }

    /// Adds the counts and the sum of `other`.
    package mutating func add(_ other: DurationHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}

/// The lock times of the batches of one run.
package final class BatchLockTimes: Sendable {
    private let histograms = Mutex<[Name: DurationHistogram]>([:])

    package init() {}

    /// Records an event of the run. Safe to call from any thread.
    package func record(_ event: PruneEvent) {
        // A batch that visited no rows took no lock.
        guard case .batchCommitted(let report, let batch) = event, batch.work.visited > 0 else { return }
        histograms.withLock { $0[report.store, default: DurationHistogram()].add(batch.work.lockTime) }
    }

    /// The recorded lock times, by store.
    package var byStore: [Name: DurationHistogram] { histograms.withLock { $0 } }
}
