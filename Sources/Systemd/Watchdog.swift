import CSystemd
// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch

/// Tells the service manager that the service is alive, as long as its worker is.
///
/// It pings from its creation until it is released, three times per watchdog interval, but only if `isAlive` returns
/// true. If the worker is stuck, the pings stop and the manager restarts the service.
package final class Watchdog: Sendable {
    private let timer: any DispatchSourceTimer

    /// Starts to ping.
    ///
    /// - Parameters:
    ///   - interval: the time without a ping after which the manager restarts the service; see ``interval()``.
    ///   - notifier: where ``ServiceState/watchdog`` is sent.
    ///   - isAlive: whether the worker makes progress or has nothing to do. It is called on the watchdog's own queue.
    ///     If it blocks, the worker counts as not alive.
    package init(
        interval: Duration, notifier: some ServiceNotifier, isAlive: @escaping @Sendable () -> Bool
    ) {
        // A separate queue, so that a worker that blocks its own queue is judged only by `isAlive`. The queue has no
        // higher class, because Dispatch turns that into a negative nice value and prints a complaint if it may not set
        // one.
        let queue = DispatchQueue(label: "watchdog")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // `deadline:` and not `wallDeadline:`, because systemd also measures the interval on the monotonic clock.
        timer.schedule(deadline: .now(), repeating: Self.period(for: interval), leeway: .milliseconds(10))
        timer.setEventHandler { @Sendable in
            if isAlive() { notifier.notify([.watchdog]) }
        }
        timer.activate()
        self.timer = timer
    }

    deinit {
        timer.cancel()
    }

    /// The watchdog interval that the service manager has set for this process (`WatchdogSec=` of its unit); nil if
    /// there is none.
    package static func interval() -> Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(microseconds)
    }

    /// A third of the interval, so that one ping may be late or lost. Never more than a minute: that is often enough,
    /// and a very long interval would overflow the timer.
    static func period(for interval: Duration) -> DispatchTimeInterval {
        let period = min(interval / 3, .seconds(60))
        return .nanoseconds(Int(period / .nanoseconds(1)))
    }
}
