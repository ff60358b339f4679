import TerminalText

/// A state that a service reports to its service manager.
package enum ServiceState: Hashable, Sendable {
    /// Start-up or reload is complete.
    case ready

    /// The service has begun to stop.
    case stopping

    /// The service has begun to reload its configuration; ``ready`` ends this. The time is `CLOCK_MONOTONIC` in
    /// microseconds: `DispatchTime.now().uptimeNanoseconds / 1_000`.
    case reloading(monotonicMicroseconds: UInt64)

    /// What the service is doing, for `systemctl status`. The text is shown on one line, and cut off after
    /// ``longestStatus`` bytes.
    case status(String)

    /// The service is alive.
    case watchdog

    /// The longest status text, in bytes of UTF-8. systemd drops a notification of more than 4,096 bytes, with all its
    /// states.
    package static let longestStatus = 2_048

    /// The state in the format of `sd_notify`, one assignment per line.
    package var assignments: String {
        switch self {
        case .ready: "READY=1"
        case .stopping: "STOPPING=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .status(let text): "STATUS=" + text.onOneLine.shortened(toBytes: Self.longestStatus)
        case .watchdog: "WATCHDOG=1"
        }
    }
}

extension String {
    /// The longest beginning with at most `limit` bytes in UTF-8. It ends in "…" if something was cut off.
    fileprivate func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let ellipsis = "…"
        var beginning = unicodeScalars[...]
        var length = utf8.count
        while length > limit - ellipsis.utf8.count, let last = beginning.popLast() {
            length -= UTF8.width(last)
        }
        return String(beginning) + ellipsis
    }
}
