import Retention
import Synchronization

/// How many durations were how long, counted for ever: what a Prometheus histogram holds.
package struct DurationHistogram: Codable, Equatable, Sendable {
    /// The upper ends of the buckets, in seconds; beyond the last there is one more.
    package static let bounds = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1]

    /// The durations in each bucket alone, the one without an end last.
    package private(set) var counts: [Int64]
    /// All durations together, in seconds.
    package private(set) var sum: Double

    /// An empty histogram.
    package init() {
        counts = Array(repeating: 0, count: Self.bounds.count + 1)
        sum = 0
    }

    /// Reads one that was kept. One with other buckets, of another version, begins anew.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        let kept = try container.decode([Int64].self, forKey: .counts)
        guard kept.count == counts.count else { return }
        counts = kept
        sum = try container.decode(Double.self, forKey: .sum)
    }

    /// Counts one more.
    package mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }

    /// Counts those of another one, too.
    package mutating func add(_ other: DurationHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}

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
