import Foundation
import Synchronization

/// One client of a ``CuttingProxy``: a thread for each direction.
final class ProxiedConnection: Sendable {
    private let proxy: CuttingProxy
    private let client: Int32
    private let server: Int32
    /// What is to be done with the answer that comes next.
    private let fault = Mutex<CuttingProxy.Fault?>(nil)
    /// How many threads still use the sockets.
    private let users = Mutex(2)

    init(_ proxy: CuttingProxy, client: Int32, server: Int32) {
        (self.proxy, self.client, self.server) = (proxy, client, server)
    }

    func begin() {
        Thread.detachNewThread { [self] in
            forwardStatements()
            leave()
        }
        Thread.detachNewThread { [self] in
            forwardAnswers()
            leave()
        }
    }

    /// Ends both directions. The sockets are closed by the last thread: before, their numbers must not be used again.
    private func cut() {
        for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func leave() {
        cut()
        let isLast = users.withLock { users in
            users -= 1
            return users == 0
        }
        if isLast { for socket in [client, server] { close(socket) } }
    }

    private func forwardStatements() {
        var frames = ProtocolFrames(beginsWithoutKind: true)
        var statements = SentStatements()
        while let bytes = UnixSocket.receive(from: client) {
            frames.add(bytes)
            // Whoever asks for encryption goes on without it: they ask before their first message.
            while let message = frames.next(repeatsFirst: \.asksForEncryption) {
                if message.kind == nil && message.asksForEncryption {
                    UnixSocket.send([UInt8(ascii: "N")], to: client)
                    continue
                }
                if let sql = statements.executed(by: message),
                    let fault = proxy.state.withLock({ $0.fault(at: sql) })
                {
                    if fault == .before { return }
                    self.fault.withLock { $0 = fault }
                }
                UnixSocket.send(message.bytes, to: server)
                if fault.withLock({ $0 == .inFlight }), message.endsRequest { return }
            }
        }
        // A client that is gone: the server is told, as without a proxy.
    }

    private func forwardAnswers() {
        var frames = ProtocolFrames(beginsWithoutKind: false)
        var held: [UInt8] = []
        while let bytes = UnixSocket.receive(from: server) {
            let delay = proxy.state.withLock(\.delay)
            if delay > 0 { usleep(delay) }
            frames.add(bytes)
            while let message = frames.next() {
                guard let fault = fault.withLock({ $0 }) else {
                    UnixSocket.send(message.bytes, to: client)
                    continue
                }
                held += message.bytes
                guard message.kind == "Z" else { continue }
                switch fault {
                case .before, .inFlight, .afterAnswer: return
                case .inAnswer:
                    UnixSocket.send(Array(held.prefix(held.count / 2)), to: client)
                    return
                case .silence: held = []
                }
            }
        }
    }
}

extension ProtocolFrames.Message {
    /// A request for TLS or GSSAPI.
    var asksForEncryption: Bool {
        guard kind == nil, bytes.count == 8 else { return false }
        return [80_877_103, 80_877_104].contains(content.reduce(0) { $0 << 8 | Int($1) })
    }

    /// Whether the server answers after it.
    var endsRequest: Bool { kind == "Q" || kind == "S" }
}
