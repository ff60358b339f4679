import Dispatch
import FoundationEssentials
import Synchronization

/// The signals between a run and its process: the process requests a stop, and the run reports progress.
package final class RunControl: Sendable {
    private struct State {
        var stopReason: String?
        var lastBeat: Duration
        /// Without what the run is at.
        var signs = Signs()
        /// What has begun and not ended, the last one last.
        var works: [(worker: ObjectIdentifier, work: StoreWork, hasLock: Bool)] = []
        var whenStopped: [Int32: @Sendable () -> Void] = [:]
    }

    /// What shows that a run goes on, for who looks at intervals.
    package struct Signs: Equatable, Sendable {
        /// How often progress was recorded.
        package var beats = 0
        /// How often work began or ended.
        package var changes = 0
        /// What the run is at in a store; nil outside of one.
        package var work: WorkInHand?

        package init() {}
    }

    private let state: Mutex<State>
    private let stopped = DispatchSemaphore(value: 0)
    /// A monotonic clock: the time since some fixed instant.
    package let monotonic: @Sendable () -> Duration

    package init(monotonic: @escaping @Sendable () -> Duration) {
        self.monotonic = monotonic
        state = Mutex(State(lastBeat: monotonic()))
    }

    /// Asks the run to end after the current batch. Only the first reason is recorded.
    package func requestStop(_ reason: String) {
        let isFirst = state.withLock { state in
            guard state.stopReason == nil else { return false }
            state.stopReason = reason
            for tell in state.whenStopped.values { tell() }
            return true
        }
        if isFirst { stopped.signal() }
    }

    /// Calls `tell` once a stop is requested, from another thread; `worker` says for whom. Nil ends that.
    package func whenStopped(_ worker: Int32, _ tell: (@Sendable () -> Void)?) {
        state.withLock { $0.whenStopped[worker] = tell }
    }

    /// Why a stop was requested; nil when none was.
    package var stopReason: String? { state.withLock { $0.stopReason } }

    /// Waits for `duration`. Returns early, or at once, when a stop is requested.
    package func pause(_ duration: Duration) {
        beat()
        let nanoseconds = max(0, Int(duration / .nanoseconds(1)))
        if stopped.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success {
            stopped.signal()  // so that every later pause ends at once, too
        }
    }

    /// Records that the worker makes progress.
    package func beat() {
        let now = monotonic()
        state.withLock {
            $0.lastBeat = now
            $0.signs.beats += 1
        }
    }

    package var signs: Signs {
        var (signs, last) = state.withLock { ($0.signs, $0.works.last) }
        signs.work = last.map { WorkInHand($0.work, hasLock: $0.hasLock) }
        return signs
    }

    /// Whether the worker recorded progress within the last `limit`.
    package func isAlive(within limit: Duration) -> Bool {
        let now = monotonic()
        return state.withLock { now - $0.lastBeat <= limit }
    }

    /// Records that `worker` is at `work` from now on. `hasLock` if nobody else can write to the store meanwhile.
    package func begins(_ work: StoreWork, by worker: AnyObject, hasLock: Bool = false) {
        state.withLock {
            $0.works.append((ObjectIdentifier(worker), work, hasLock))
            $0.signs.changes += 1
        }
    }

    /// Records that the work of `worker` is done.
    package func ends(_ worker: AnyObject) {
        state.withLock { state in
            if let index = state.works.lastIndex(where: { $0.worker == ObjectIdentifier(worker) }) {
                state.works.remove(at: index)
            }
            state.signs.changes += 1
        }
    }
}

/// Identifies a run by its start in UTC and four random hexadecimal digits. Ids sort by time, and runs that start in
/// the same second have different ids.
package struct RunID: Codable, Hashable, Sendable, CustomStringConvertible {
    /// For example `20261120T120000Z-3f9c`.
    package let description: String

    /// An id for a run that starts at `start`.
    package init(start: Date, using generator: inout some RandomNumberGenerator) {
        let compact = start.iso8601.filter { $0 != "-" && $0 != ":" }
        let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
        description = compact + "-" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
