import Foundation
import TestSupport

/// One connection through a ``MessageProxy``, served by one thread: so the order of its messages is that of their numbers.
///
/// A message is all that one end sends until the other one does: a request with its parts, or an answer with its rows.
struct ProxiedMessages {
    private enum Outcome {
        case goesOn
        case ends
    }

    private let proxy: MessageProxy
    private let client: Int32
    private let server: Int32
    private var answers = ProtocolFrames(beginsWithoutKind: false)
    /// The number of the server's process, as the server has said it.
    private var process: pid_t = 0
    /// The end that has sent last.
    private var sender: Int32 = -1
    /// The ends that get nothing more.
    private var silent: Set<Int32> = []

    init(_ proxy: MessageProxy, client: Int32, server: Int32) {
        (self.proxy, self.client, self.server) = (proxy, client, server)
    }

    /// Forwards until one end is gone, and closes both.
    func forward() {
        var (connection, immediately) = (self, Int32(1))
        setsockopt(
            client, Int32(IPPROTO_TCP), TCP_NODELAY, &immediately,
            socklen_t(MemoryLayout.size(ofValue: immediately)))
        while connection.step() == .goesOn {}
        close(client)
        close(server)
    }

    private mutating func step() -> Outcome {
        var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&sockets, 2, -1) > 0 else { return .goesOn }
        for (source, target) in [(client, server), (server, client)]
        where sockets.contains(where: { $0.fd == source && $0.revents != 0 }) {
            guard let bytes = UnixSocket.receive(from: source) else { return .ends }
            if source == server, process == 0 { readProcess(in: bytes) }
            let begins = sender != source
            sender = source
            if forward(Array(bytes), to: target, as: begins ? proxy.next() : nil) == .ends { return .ends }
        }
        return .goesOn
    }

    private mutating func readProcess(in bytes: ArraySlice<UInt8>) {
        answers.add(bytes)
        while let message = answers.next() {
            guard message.kind == "K" else { continue }
            process = pid_t(message.content.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        }
    }

    private mutating func forward(_ bytes: [UInt8], to target: Int32, as point: MessageProxy.Point?)
        -> Outcome
    {
        guard !silent.contains(target), !proxy.isDead else { return .goesOn }
        guard let point else {
            UnixSocket.send(bytes, to: target)
            return .goesOn
        }
        switch point.fault {
        case .cut, .gone: return .ends
        case .torn:
            let size = 1 + Int(point.place * Double(bytes.count - 1))
            UnixSocket.send(Array(bytes.prefix(min(size, bytes.count - 1))), to: target)
            return .ends
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            return .ends
        case .halfClosed:
            silent.insert(target)
            shutdown(target, Int32(SHUT_WR))
        case .silent, .dead: silent.insert(target)
        case .cutAfter, .goneAfter:
            UnixSocket.send(bytes, to: target)
            return .ends
        case .late:
            usleep(150_000)
            UnixSocket.send(bytes, to: target)
        case .slow:
            for byte in bytes { UnixSocket.send([byte], to: target) }
        case .terminated, .killed, .restarted, .stopped:
            proxy.strike(point.fault, at: process)
            UnixSocket.send(bytes, to: target)
        }
        return .goesOn
    }
}
