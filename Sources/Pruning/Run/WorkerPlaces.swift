import Dispatch
import Retention
import Synchronization

/// How many stores are worked on at once. More would only wait for each other: for the disk, the processor and the archive.
///
/// A worker that has been at it for long no longer counts, so that stores that take long, as quiet ones do, do not keep all
/// others waiting.
package struct WorkerPlaces: Equatable {
    /// How many workers count at most.
    package var workers: Int
    /// When each worker that is at work began, by its number.
    private var begun: [Int: Duration] = [:]
    private var next = 0

    /// The most workers at once, however long they have been at it.
    static let most = RetentionPolicy.workerLimits.upperBound
    /// After this time a worker no longer counts.
    static let longTime = Duration.seconds(30)

    package init(workers: Int) { self.workers = workers }

    /// How long to wait for a place at most, unless a worker ends before; nil if there is one at `now`.
    package func wait(at now: Duration) -> Duration? {
        guard begun.count < Self.most else { return Self.longTime }
        let counted = begun.values.filter { now - $0 < Self.longTime }
        guard counted.count >= workers, let first = counted.min() else { return nil }
        return Self.longTime - (now - first)
    }

    /// Takes a place, and returns the worker's number.
    package mutating func begin(at now: Duration) -> Int {
        next += 1
        begun[next] = now
        return next
    }

    package mutating func end(_ worker: Int) { begun[worker] = nil }

    /// Calls `body` with each of `works`, in order, on a thread for each that has a place. Returns when all have ended.
    package func perform<Work: Sendable>(
        _ works: [Work], _ monotonic: @Sendable @escaping () -> Duration,
        _ body: @Sendable @escaping (Work) -> Void
    ) {
        let group = DispatchGroup()
        let places = Mutex(self)
        let ended = DispatchSemaphore(value: 0)
        for work in works {
            while let wait = places.withLock({ $0.wait(at: monotonic()) }) {
                _ = ended.wait(timeout: .now() + .milliseconds(Int(wait / .milliseconds(1)) + 1))
            }
            let worker = places.withLock { $0.begin(at: monotonic()) }
            // Not a lower quality of service: on Linux that is a nice value, and the app would wait for a lock whose owner is
            // starved of processor time.
            DispatchQueue(label: "pruned.worker", qos: .default).async(group: group) {
                body(work)
                places.withLock { $0.end(worker) }
                ended.signal()
            }
        }
        group.wait()
    }

    /// What `body` makes of each of `works`, in their order; see ``perform(_:_:_:)``.
    package func map<Work: Sendable, Value: Sendable>(
        _ works: [Work], _ monotonic: @Sendable @escaping () -> Duration,
        _ body: @Sendable @escaping (Work) -> Value
    ) -> [Value] {
        let values = Mutex<[Int: Value]>([:])
        perform(Array(works.enumerated()), monotonic) { index, work in
            let value = body(work)
            values.withLock { $0[index] = value }
        }
        return values.withLock { values in works.indices.compactMap { values[$0] } }
    }
}
