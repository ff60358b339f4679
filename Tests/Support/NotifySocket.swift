import Foundation

/// The service manager's end of `sd_notify`: a real datagram socket for `$NOTIFY_SOCKET`.
package final class NotifySocket: Sendable {
    package let path: String

    private let fileDescriptor: Int32

    /// Binds a socket in `/tmp`, which is removed with this object. Throws the system's error.
    package init() throws {
        // Not in $TMPDIR, which may be long: a socket's path has at most 107 bytes.
        path = "/tmp/notify-\(UUID().uuidString)"
        fileDescriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard fileDescriptor >= 0 else { throw Self.systemError() }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafeBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) {
                bind(fileDescriptor, $0.baseAddress, socklen_t(raw.count))
            }
        }
        guard bound == 0 else { throw Self.systemError() }
    }

    deinit {
        close(fileDescriptor)
        unlink(path)
    }

    /// Waits for the next notification; nil if none arrives within `seconds`.
    package func receive(seconds: Double = 10) throws -> String? {
        var readable = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&readable, 1, Int32(seconds * 1_000)) > 0 else { return nil }
        // Larger than systemd's limit, so that a test sees messages that systemd would drop.
        var datagram = [UInt8](repeating: 0, count: 65_536)
        let length = recv(fileDescriptor, &datagram, datagram.count, 0)
        guard length >= 0 else { throw Self.systemError() }
        return String(decoding: datagram[..<length], as: UTF8.self)
    }

    /// Waits for a notification that contains `text`.
    package func hear(_ text: String, seconds: Double = 60) throws {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(seconds) {
            if try receive(seconds: 0.1)?.contains(text) ?? false { return }
        }
        throw WaitedTooLong(what: text, seconds: seconds)
    }

    /// How many of those that have come contain `text`.
    package func count(of text: String) throws -> Int {
        var count = 0
        while let notification = try receive(seconds: 0) { count += notification.contains(text) ? 1 : 0 }
        return count
    }

    private static func systemError() -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}
