import Foundation
import Pruning
import Synchronization

/// A wall clock and a monotonic clock that move only when the test advances them.
package final class ManualClock: Sendable {
    private struct State {
        var now: Date
        var elapsed = Duration.zero
    }

    private let state: Mutex<State>

    /// The wall clock starts at `now`, the monotonic clock at zero.
    package init(now: Date) {
        state = Mutex(State(now: now))
    }

    /// The time of the wall clock.
    package var now: Date { state.withLock { $0.now } }

    /// The time since the clock was made.
    package var monotonic: @Sendable () -> Duration {
        { self.state.withLock { $0.elapsed } }
    }

    /// Advances both clocks.
    package func advance(by duration: Duration) {
        state.withLock { state in
            state.elapsed += duration
            state.now += duration / .seconds(1)
        }
    }

    /// Sets the wall clock, as an administrator would.
    package func set(_ now: Date) {
        state.withLock { $0.now = now }
    }
}

/// A timer that fires only when the test lets its time come.
package final class ManualTimer: WallClockTimer {
    private struct Alarm {
        let date: Date
        let leeway: TimeInterval
        let fire: @Sendable () -> Void
    }

    private let alarm = Mutex<Alarm?>(nil)

    package init() {}

    /// The date that it is armed for; nil when it is not armed.
    package var date: Date? { alarm.withLock { $0?.date } }

    /// How much later than ``date`` it may fire; nil when it is not armed.
    package var leeway: TimeInterval? { alarm.withLock { $0?.leeway } }

    package func arm(at date: Date, leeway: TimeInterval, _ fire: @escaping @Sendable () -> Void) {
        alarm.withLock { $0 = Alarm(date: date, leeway: leeway, fire: fire) }
    }

    package func cancel() {
        alarm.withLock { $0 = nil }
    }

    /// Fires, once, if it is armed for `now` or earlier.
    package func pass(to now: Date) {
        let due = alarm.withLock { alarm -> Alarm? in
            guard let armed = alarm, armed.date <= now else { return nil }
            alarm = nil
            return armed
        }
        due?.fire()
    }
}
