import CSystemd

/// Where a service reports its state.
package protocol ServiceNotifier: Sendable {
    /// Reports these states as one notification. May be called from any thread, and never fails: a service continues
    /// whether or not anybody listens.
    func notify(_ states: [ServiceState])
}

/// Reports to systemd, through the socket that `$NOTIFY_SOCKET` names. Without one it does nothing.
package struct SystemdNotifier: ServiceNotifier {
    /// A notifier for this process.
    package init() {}

    /// Sends these states to systemd as one notification. May be called from any thread.
    package func notify(_ states: [ServiceState]) {
        // The manager handles a lost notification by its start and watchdog timeouts. The environment stays unchanged,
        // so that later calls also find the socket.
        _ = sd_notify(0, states.map(\.assignments).joined(separator: "\n"))
    }
}
