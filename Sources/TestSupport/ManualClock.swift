import Foundation
import Synchronization

/// A wall clock and a monotonic one that move when the test says so.
package final class ManualClock: Sendable {
    private struct State {
        var now: Date
        var elapsed = Duration.zero
    }

    private let state: Mutex<State>

    /// Clocks that stand at `now` and at zero.
    package init(now: Date) {
        state = Mutex(State(now: now))
    }

    /// What the clock on the wall shows.
    package var now: Date { state.withLock { $0.now } }

    /// The time since the clock was made.
    package var monotonic: @Sendable () -> Duration {
        { self.state.withLock { $0.elapsed } }
    }

    /// Lets time pass.
    package func advance(by duration: Duration) {
        state.withLock { state in
            state.elapsed += duration
            state.now += duration / .seconds(1)
        }
    }

    /// Sets the clock on the wall, as an administrator would.
    package func set(_ now: Date) {
        state.withLock { $0.now = now }
    }
}
