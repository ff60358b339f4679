import Dispatch
import Synchronization
import Systemd

/// A notifier that records what it is told, so that a test can read it or wait for it.
package final class RecordingNotifier: ServiceNotifier {
    private let recorded = Mutex<[[ServiceState]]>([])
    private let arrival = DispatchSemaphore(value: 0)

    package init() {}

    /// All notifications so far, oldest first.
    package var notifications: [[ServiceState]] { recorded.withLock { $0 } }

    /// Records the notification and wakes the waiting test.
    package func notify(_ states: [ServiceState]) {
        recorded.withLock { $0.append(states) }
        arrival.signal()
    }

    /// Waits until the notifications satisfy `condition`. Returns false if they do not within `seconds`. Only one
    /// thread at a time may wait.
    package func wait(seconds: Double = 10, until condition: ([[ServiceState]]) -> Bool) -> Bool {
        let deadline = DispatchTime.now() + seconds
        while !condition(notifications) {
            guard arrival.wait(timeout: deadline) == .success else { return condition(notifications) }
        }
        return true
    }
}
