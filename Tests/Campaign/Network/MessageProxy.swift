import Foundation
import TestSupport
import Synchronization

/// A proxy before a server that numbers the messages of all connections, and lets a fault happen at one of them.
///
/// It listens on 127.0.0.1: only such connections can be reset.
final class MessageProxy: Sendable {
    /// What the number of a message decides.
    struct Point {
        let number: Int
        let fault: MessageFault
        /// Where a message is torn, from 0 to 1.
        var place = 0.5
    }

    struct State {
        var point: Point?
        var messages = 0
        var isHit = false
        var refuses = false
        var isDead = false
        var open = 0
    }

    let port: UInt16
    private let target: String
    /// Does to the server what the fault wants, given the number of its process for the connection.
    private let strike: @Sendable (MessageFault, pid_t) -> Void
    private let state = Mutex(State())

    init(
        before server: PostgreSQLServer, strike: @escaping @Sendable (MessageFault, pid_t) -> Void
    ) throws {
        target = server.socketDirectory + "/.s.PGSQL.\(server.port)"
        self.strike = strike
        let (listener, port) = try Self.listen()
        self.port = port
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
        }
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { address in
                bind(listener, address.baseAddress, size) | Glibc.listen(listener, 100)
                    | getsockname(listener, address.baseAddress, &size)
            }
        }
        guard listener >= 0, status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ client: Int32) {
        let refuses = state.withLock { state in
            if !state.refuses { state.open += 1 }
            return state.refuses
        }
        guard !refuses else {
            close(client)
            return
        }
        Thread.detachNewThread { [self] in
            // While the server is down, its socket refuses as the server itself would.
            if let server = try? UnixSocket.connect(to: target) {
                ProxiedMessages(self, client: client, server: server).forward()
            } else {
                close(client)
            }
            state.withLock { $0.open -= 1 }
        }
    }

    // MARK: - Points

    /// Counts anew, with a fault at `point`.
    func begin(_ point: Point?) { state.withLock { $0 = State(point: point, open: $0.open) } }

    /// Lets everything through from now on.
    func end() {
        state.withLock { ($0.point, $0.refuses, $0.isDead) = (nil, false, false) }
    }

    /// How many messages came by since the last ``begin(_:)``.
    var messages: Int { state.withLock(\.messages) }
    /// Whether the fault has happened.
    var isHit: Bool { state.withLock(\.isHit) }
    /// How many connections are open.
    var open: Int { state.withLock(\.open) }
    /// Whether no message comes through any more.
    var isDead: Bool { state.withLock(\.isDead) }

    /// The fault at the message that comes now, if any.
    func next() -> Point? {
        state.withLock { state in
            state.messages += 1
            guard let point = state.point, point.number == state.messages else { return nil }
            state.isHit = true
            state.refuses = point.fault == .gone || point.fault == .goneAfter
            state.isDead = point.fault == .dead
            return point
        }
    }

    func strike(_ fault: MessageFault, at process: pid_t) { strike(fault, process) }
}
