import Dispatch
import FoundationEssentials
import Synchronization

/// What a run and the process around it tell each other: "stop", and "I am alive".
package final class RunControl: Sendable {
    private struct State {
        var stopReason: String?
        var lastBeat: Duration
        /// By who does it.
        var worksInHand: [ObjectIdentifier: WorkInHand] = [:]
    }

    private let state: Mutex<State>
    private let stopped = DispatchSemaphore(value: 0)
    /// The time since some fixed instant, by a clock that is never set.
    package let monotonic: @Sendable () -> Duration

    /// `monotonic` tells the time since some fixed instant, by a clock that is never set.
    package init(monotonic: @escaping @Sendable () -> Duration) {
        self.monotonic = monotonic
        state = Mutex(State(lastBeat: monotonic()))
    }

    /// Asks the run to end after the batch in hand. The first reason stays.
    package func requestStop(_ reason: String) {
        let isFirst = state.withLock { state in
            guard state.stopReason == nil else { return false }
            state.stopReason = reason
            return true
        }
        if isFirst { stopped.signal() }
    }

    /// Why the run is to stop; nil while it is not.
    package var stopReason: String? { state.withLock { $0.stopReason } }

    /// Waits, unless or until a stop is requested.
    package func pause(_ duration: Duration) {
        beat()
        let nanoseconds = max(0, Int(duration / .nanoseconds(1)))
        if stopped.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success {
            stopped.signal()  // every later pause ends at once, too
        }
    }

    /// Says that the worker makes progress.
    package func beat() {
        let now = monotonic()
        state.withLock { $0.lastBeat = now }
    }

    /// Whether the worker made progress within `limit`.
    package func isAlive(within limit: Duration) -> Bool {
        let now = monotonic()
        return state.withLock { now - $0.lastBeat <= limit }
    }

    /// Says that `worker` has the lock of a store from now on, see ``StuckWork``.
    package func lockIsHeld(by worker: AnyObject, for work: StoreWork, _ lockTime: LockTime) {
        begin(work, .lock(lockTime), by: worker)
    }

    /// Says that statements of `worker` are at work from now on.
    package func statementsBegin(by worker: AnyObject, for work: StoreWork) {
        begin(work, .statements, by: worker)
    }

    private func begin(_ work: StoreWork, _ kind: WorkInHand.Kind, by worker: AnyObject) {
        let begun = WorkInHand(work, kind, at: monotonic())
        state.withLock { $0.worksInHand[ObjectIdentifier(worker)] = begun }
    }

    /// Says that its work is done.
    package func ends(_ worker: AnyObject) {
        state.withLock { $0.worksInHand[ObjectIdentifier(worker)] = nil }
    }

    /// How much is in hand.
    package var worksInHand: Int { state.withLock { $0.worksInHand.count } }

    /// Work that nothing can end but the end of the process; nil when there is none. To be asked again and again: each time
    /// it looks for signs of life since the last time.
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

/// Identifies a run: its start in UTC and four random hexadecimal digits, so that ids sort by time and runs that
/// start in one second differ.
package struct RunID: Hashable, Sendable, CustomStringConvertible {
    /// `20261120T120000Z-3f9c`.
    package let description: String

    /// An id for a run that starts at `start`.
    package init(start: Date, using generator: inout some RandomNumberGenerator) {
        let compact = start.iso8601.filter { $0 != "-" && $0 != ":" }
        let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
        description = compact + "-" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
