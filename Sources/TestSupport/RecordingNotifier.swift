import Dispatch
import Synchronization
import Systemd

/// A notifier that keeps what it is told, for a test to look at or wait for.
package final class RecordingNotifier: ServiceNotifier {
    private let recorded = Mutex<[[ServiceState]]>([])
    private let arrival = DispatchSemaphore(value: 0)

    /// A notifier that has been told nothing yet.
    package init() {}

    /// Every notification so far, oldest first.
    package var notifications: [[ServiceState]] { recorded.withLock { $0 } }

    /// Keeps the notification and wakes the waiting test.
    package func notify(_ states: [ServiceState]) {
        recorded.withLock { $0.append(states) }
        arrival.signal()
    }

    /// Waits until the notifications satisfy `condition`; false when they have not within `seconds`. For one
    /// waiting thread at a time.
    package func wait(seconds: Double = 10, until condition: ([[ServiceState]]) -> Bool) -> Bool {
        let deadline = DispatchTime.now() + seconds
        while !condition(notifications) {
            guard arrival.wait(timeout: deadline) == .success else { return condition(notifications) }
        }
        return true
    }
}
