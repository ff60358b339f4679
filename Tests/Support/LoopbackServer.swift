import Foundation
import Synchronization

/// A server on loopback that sends exactly the bytes that a test specifies, to any number of clients at once.
///
/// It serves until the process ends, because it is unknown when the last client is done.
package final class LoopbackServer: Sendable {
    /// A client's request.
    package struct Request: Sendable {
        /// The path, as it was sent.
        package let path: String
        /// The headers: values as sent, by the name in lower case.
        package let headers: [String: String]
    }

    /// The reply to a client.
    package enum Reply: Sendable {
        /// Sends these bytes and closes the connection.
        case bytes(Data)
        /// Sends nothing while the client stays.
        case silence
        /// Sends these bytes, and then single bytes while the client stays.
        case drip(Data)
    }

    private struct State {
        var requests: [Request] = []
        var sent = 0
        var gone = 0
    }

    private let socket: Int32
    private let port: UInt16
    private let state = Mutex(State())
    private let reply: @Sendable (Request) -> Reply

    /// Starts to serve the replies of `reply` on a port of its own.
    package init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
        self.reply = reply
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) + listen(socket, 1000) + getsockname(socket, address, &length)
            }
        }
        guard socket >= 0, status == 0 else { throw POSIXError(.EIO) }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let client = accept(socket, nil, nil), client >= 0 {
                Thread.detachNewThread { [self] in
                    serve(client)
                    close(client)
                }
            }
        }
    }

    /// The address of a path on the server.
    package func url(_ path: String = "/feed") -> URL {
        // The path is a literal in a test, so its author sees the error on the first run.
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { fatalError("no path: \(path)") }
        return url
    }

    /// All requests so far.
    package var requests: [Request] { state.withLock(\.requests) }
    /// The number of bytes that all clients, or the system's buffers for them, have accepted.
    package var sent: Int { state.withLock(\.sent) }
    /// The number of clients that left before the reply ended.
    package var gone: Int { state.withLock(\.gone) }

    private func serve(_ client: Int32) {
        guard let request = receive(client) else { return }
        state.withLock { $0.requests.append(request) }
        switch reply(request) {
        case .bytes(let data): send(data, to: client)
        case .silence: while !leaves(client) {}
        case .drip(let data):
            send(data, to: client)
            while !leaves(client), send(Data(" ".utf8), to: client) {}
        }
    }

    private func receive(_ client: Int32) -> Request? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains("\r\n\r\n") {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let lines = text.components(separatedBy: "\r\n")
        let headers = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
        }
        let path = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
        return Request(path: path, headers: Dictionary(headers) { first, _ in first })
    }

    @discardableResult private func send(_ data: Data, to client: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                state.withLock { $0.gone += 1 }
                return false
            }
            state.withLock { $0.sent += count }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether the client leaves within 10 ms.
    private func leaves(_ client: Int32) -> Bool {
        var descriptor = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&descriptor, 1, 10) == 1, recv(client, &byte, 1, 0) <= 0 else { return false }
        state.withLock { $0.gone += 1 }
        return true
    }
}

extension LoopbackServer.Reply {
    /// A complete answer.
    package static func answer(_ status: Int = 200, _ headers: [String] = [], _ body: Data = Data()) -> Self {
        let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.count)", "Connection: close"] + headers
        return .bytes(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// A complete answer with a JSON feed that has one article with this title.
    package static func feed(_ title: String, _ headers: [String] = []) -> Self {
        .answer(200, headers, Data(#"[{"title": "\#(title)", "url": "/a"}]"#.utf8))
    }

    /// Only these bytes, given as text.
    package static func text(_ text: String) -> Self { .bytes(Data(text.utf8)) }
}
