import CSystemd

/// Where a service reports its state.
package protocol ServiceNotifier: Sendable {
    /// Reports these states together, as one notification. May be called from any thread, and never fails: a
    /// service goes on whether or not anyone listens.
    func notify(_ states: [ServiceState])
}

/// Reports to systemd, over the socket that `$NOTIFY_SOCKET` names. Without one it does nothing.
package struct SystemdNotifier: ServiceNotifier {
    /// A notifier for this process.
    package init() {}

    /// Sends these states to systemd as one notification. May be called from any thread.
    package func notify(_ states: [ServiceState]) {
        // A notification that does not arrive is for the manager to act on: its start and watchdog timeouts
        // are there for that. The environment is left as it is, so that later calls find the socket too.
        _ = sd_notify(0, states.map(\.assignments).joined(separator: "\n"))
    }
}
