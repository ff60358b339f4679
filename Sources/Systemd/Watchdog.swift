import CSystemd
// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch

/// Tells the service manager that the service is alive, for as long as its worker is.
///
/// Pings from its creation until it is released, three times per watchdog interval, and each time only if
/// `isAlive` says so. When the worker is stuck, the pings stop, and the manager restarts the service.
package final class Watchdog: Sendable {
    private let timer: any DispatchSourceTimer

    /// Starts to ping.
    ///
    /// - Parameters:
    ///   - interval: the time after which the manager gives the service up; see ``interval()``.
    ///   - notifier: where ``ServiceState/watchdog`` is sent.
    ///   - isAlive: whether the worker makes progress or has nothing to do. Called on a queue of the watchdog's
    ///     own; one that blocks counts as not alive.
    package init(
        interval: Duration, notifier: some ServiceNotifier, isAlive: @escaping @Sendable () -> Bool
    ) {
        // A queue of its own, so that a worker that keeps its queue busy is judged by `isAlive` alone. Not of a
        // higher class: Dispatch makes that a negative nice value, and complains when it must not set it.
        let queue = DispatchQueue(label: "watchdog")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // `deadline:`, not `wallDeadline:`: systemd counts the interval on the monotonic clock as well.
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

    /// The watchdog interval that the service manager has set for this process (`WatchdogSec=` of its unit);
    /// nil when it has set none.
    package static func interval() -> Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(microseconds)
    }

    /// A third of the interval: one ping may be late or lost. Once a minute is often enough for any interval,
    /// and keeps the longest ones from overflowing the timer.
    static func period(for interval: Duration) -> DispatchTimeInterval {
        let period = min(interval / 3, .seconds(60))
        return .nanoseconds(Int(period / .nanoseconds(1)))
    }
}
