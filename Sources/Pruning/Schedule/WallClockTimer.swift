// Dispatch objects are thread-safe, but on Linux they are not yet declared Sendable.
@preconcurrency import Dispatch
import Dispatch
import FoundationEssentials
import Glibc

/// Calls back once, at a wall clock time. It also fires at the right time after the machine slept or the clock was set.
package protocol WallClockTimer: Sendable {
    /// Calls `fire` at `date`, or up to `leeway` seconds later; at once when the date has passed. Replaces an earlier
    /// `arm`.
    func arm(at date: Date, leeway: TimeInterval, _ fire: @escaping @Sendable () -> Void)

    /// Disarms the timer.
    func cancel()
}

/// A timer made with Dispatch.
package final class DispatchWallClockTimer: WallClockTimer {
    private let source: any DispatchSourceTimer

    /// In the year 2255. Dispatch counts nanoseconds since 1970 in 64 bits, and takes later dates for the past.
    private static let latest: TimeInterval = 9_000_000_000

    package init(queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler {}  // Dispatch complains on standard error about a source without a handler
        source.activate()
    }

    package func arm(at date: Date, leeway: TimeInterval, _ fire: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: fire)
        let instant = min(date.timeIntervalSince1970, Self.latest)
        let second = instant.rounded(.down)
        let time = timespec(tv_sec: Int(second), tv_nsec: Int((instant - second) * 1_000_000_000))
        source.schedule(
            wallDeadline: DispatchWallTime(timespec: time), leeway: .milliseconds(Int(leeway * 1_000)))
    }

    package func cancel() {
        source.schedule(wallDeadline: .distantFuture)
        source.setEventHandler {}
    }

    deinit { source.cancel() }
}
