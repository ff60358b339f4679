import Dispatch
import FoundationEssentials
import Synchronization

/// The signals between a run and its process: the process requests a stop, and the run reports progress.
package final class RunControl: Sendable {
    private struct State {
        var stopReason: String?
        var lastBeat: Duration
        /// Keyed by the worker.
        var worksInHand: [ObjectIdentifier: WorkInHand] = [:]
        var whenStopped: [Int32: @Sendable () -> Void] = [:]
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
        state.withLock { $0.lastBeat = now }
    }

    /// Whether the worker recorded progress within the last `limit`.
    package func isAlive(within limit: Duration) -> Bool {
        let now = monotonic()
        return state.withLock { now - $0.lastBeat <= limit }
    }

    /// Records that `worker` has the lock of a store from now on, see ``StuckWork``.
    package func lockIsHeld(by worker: AnyObject, for work: StoreWork, _ lockTime: LockTime) {
        begin(work, .lock(lockTime), by: worker)
    }

    /// Records that statements of `worker` run from now on.
    package func statementsBegin(by worker: AnyObject, for work: StoreWork) {
        begin(work, .statements, by: worker)
    }

    private func begin(_ work: StoreWork, _ kind: WorkInHand.Kind, by worker: AnyObject) {
        let begun = WorkInHand(work, kind, at: monotonic())
        state.withLock { $0.worksInHand[ObjectIdentifier(worker)] = begun }
    }

    /// Records that the work of `worker` is done.
    package func ends(_ worker: AnyObject) {
        state.withLock { $0.worksInHand[ObjectIdentifier(worker)] = nil }
    }

    /// The number of workers whose work has not ended.
    package var worksInHand: Int { state.withLock { $0.worksInHand.count } }

    /// Work that only the end of the process can stop; nil when there is none. Call this at intervals: each call looks
    /// for signs of life since the last one.
    package func stuckWork() -> StuckWork? {
        let now = monotonic()
        let stuck = state.withLock { state in
            for worker in state.worksInHand.keys where state.worksInHand[worker]?.look(at: now) == true {
                state.lastBeat = now
            }
            return state.worksInHand.values.first {
                $0.isStuck(at: now, isStopping: state.stopReason != nil)
            }
        }
        return stuck?.failure(at: now)
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
