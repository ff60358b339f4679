import Foundation
import Synchronization

/// What a run and the process around it tell each other: "stop", and "I am alive".
public final class RunControl: Sendable {
    private struct State {
        var stopReason: String?
        var lastBeat: Duration
        /// By the paths of their stores.
        var heldLocks: [String: HeldLock] = [:]
    }

    private let state: Mutex<State>
    private let stopped = DispatchSemaphore(value: 0)
    /// The time since some fixed instant, by a clock that is never set.
    public let monotonic: @Sendable () -> Duration

    /// `monotonic` tells the time since some fixed instant, by a clock that is never set.
    public init(monotonic: @escaping @Sendable () -> Duration) {
        self.monotonic = monotonic
        state = Mutex(State(lastBeat: monotonic()))
    }

    /// Asks the run to end after the batch in hand. The first reason stays.
    public func requestStop(_ reason: String) {
        let isFirst = state.withLock { state in
            guard state.stopReason == nil else { return false }
            state.stopReason = reason
            return true
        }
        if isFirst { stopped.signal() }
    }

    /// Why the run is to stop; nil while it is not.
    public var stopReason: String? { state.withLock { $0.stopReason } }

    /// Waits, unless or until a stop is requested.
    public func pause(_ duration: Duration) {
        beat()
        let nanoseconds = max(0, Int(duration / .nanoseconds(1)))
        if stopped.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success {
            stopped.signal()  // every later pause ends at once, too
        }
    }

    /// Says that the worker makes progress.
    public func beat() {
        let now = monotonic()
        state.withLock { $0.lastBeat = now }
    }

    /// Whether the worker made progress within `limit`.
    public func isAlive(within limit: Duration) -> Bool {
        let now = monotonic()
        return state.withLock { now - $0.lastBeat <= limit }
    }

    /// Says that a write transaction has the lock of its store from now on, see ``HeldLock``.
    public func lockIsHeld(for work: LockedWork, _ lockTime: LockTime) {
        let lock = HeldLock(work, lockTime, since: monotonic())
        state.withLock { $0.heldLocks[work.place] = lock }
    }

    /// Says that its statements are done.
    public func lockIsFree(at place: String) {
        state.withLock { $0.heldLocks[place] = nil }
    }

    /// How many write transactions are at work.
    package var heldLocks: Int { state.withLock { $0.heldLocks.count } }

    /// A transaction that nothing can end but the end of the process, and what is to be said of it; nil when there is none.
    public func stuckLock() -> (task: PruneTask?, failure: StoreError)? {
        let now = monotonic()
        let stuck = state.withLock { state in
            state.heldLocks.values.first { $0.isStuck(at: now, isStopping: state.stopReason != nil) }
        }
        return stuck.map { ($0.task, $0.failure(at: now)) }
    }
}
