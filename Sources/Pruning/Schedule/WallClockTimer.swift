// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import Dispatch
import FoundationEssentials
import Glibc

/// Calls back once, at an instant of the wall clock: a machine that slept, or a clock that was set, moves it.
package protocol WallClockTimer: Sendable {
    /// Calls `fire` at `date`, or up to `leeway` seconds later; at once when that has passed. Replaces what was armed
    /// before.
    func arm(at date: Date, leeway: TimeInterval, _ fire: @escaping @Sendable () -> Void)

    /// Makes an armed timer not fire.
    func cancel()
}

/// A timer of Dispatch's.
package final class DispatchWallClockTimer: WallClockTimer {
    private let source: any DispatchSourceTimer

    /// In the year 2255. Dispatch counts nanoseconds since 1970 in 64 bits, and takes what lies beyond for the past.
    private static let latest: TimeInterval = 9_000_000_000

    /// A timer that fires on `queue`.
    package init(queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler {}  // Dispatch complains on standard error of a source that has none
        source.activate()
    }

    /// See ``WallClockTimer``.
    package func arm(at date: Date, leeway: TimeInterval, _ fire: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: fire)
        let instant = min(date.timeIntervalSince1970, Self.latest)
        let second = instant.rounded(.down)
        let time = timespec(tv_sec: Int(second), tv_nsec: Int((instant - second) * 1_000_000_000))
        source.schedule(
            wallDeadline: DispatchWallTime(timespec: time), leeway: .milliseconds(Int(leeway * 1_000)))
    }

    /// See ``WallClockTimer``.
    package func cancel() {
        source.schedule(wallDeadline: .distantFuture)
        source.setEventHandler {}
    }

    deinit { source.cancel() }
}
