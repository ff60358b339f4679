import Retention

/// How many stores are worked on at once. More would only wait for each other: for the disk, the processor and the archive.
///
/// A worker that has been at it for long no longer counts, so that stores that take long, as quiet ones do, do not keep all
/// others waiting.
struct WorkerPlaces: Equatable {
    /// How many workers count at most.
    let workers: Int
    /// When each worker that is at work began, by its number.
    private var begun: [Int: Duration] = [:]
    private var next = 0

    /// The most workers at once, however long they have been at it.
    static let most = RetentionPolicy.workerLimits.upperBound
    /// After this time a worker no longer counts.
    static let longTime = Duration.seconds(30)

    init(workers: Int) { self.workers = workers }

    /// How long to wait for a place at most, unless a worker ends before; nil if there is one at `now`.
    func wait(at now: Duration) -> Duration? {
        guard begun.count < Self.most else { return Self.longTime }
        let counted = begun.values.filter { now - $0 < Self.longTime }
        guard counted.count >= workers, let first = counted.min() else { return nil }
        return Self.longTime - (now - first)
    }

    /// Takes a place, and returns the worker's number.
    mutating func begin(at now: Duration) -> Int {
        next += 1
        begun[next] = now
        return next
    }

    mutating func end(_ worker: Int) { begun[worker] = nil }
}
