import Foundation

/// The service manager's end of `sd_notify`.
final class NotifySocket {
    private let descriptor: Int32

    /// Binds a socket at `path`, which may have 107 bytes.
    init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BenchmarkError(cannot: "make a socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { space in
            space.copyBytes(from: path.utf8.prefix(space.count - 1))
        }
        let bound = withUnsafeBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, socklen_t(raw.count))
            }
        }
        guard bound == 0 else { throw BenchmarkError(cannot: "bind a socket at \(path)") }
    }

    deinit { close(descriptor) }

    /// The next notification; nil when none has come within so many milliseconds.
    func next(milliseconds: Int32) -> String? {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&readable, 1, milliseconds) > 0 else { return nil }
        var datagram = [UInt8](repeating: 0, count: 4_096)
        let length = recv(descriptor, &datagram, datagram.count, 0)
        return length < 0 ? nil : String(decoding: datagram[..<length], as: UTF8.self)
    }

    /// Waits for a notification that contains `text`.
    func wait(for text: String, seconds: Int64) throws {
        let patience = MonotonicClock.nanoseconds + seconds * 1_000_000_000
        while MonotonicClock.nanoseconds < patience {
            if next(milliseconds: 100)?.contains(text) ?? false { return }
        }
        throw BenchmarkError("the service has not said \(text) within \(seconds) s")
    }

    /// How many of those that have come contain `text`.
    func count(of text: String) -> Int {
        var count = 0
        while let notification = next(milliseconds: 0) {
            if notification.contains(text) { count += 1 }
        }
        return count
    }
}
