import Foundation
import TestSupport

/// A connection to MariaDB as an app has it, in this process: no client program is measured with the server. It has only
/// statements without rows.
final class StatementSocket: Sendable {
    private let socket: Int32

    init(to server: MariaDBServer, database: String) throws {
        socket = try UnixSocket.connect(to: server.socket)
        guard try receive().first == 10 else { throw BenchmarkError("MariaDB does not greet the app") }
        try send(Self.login(database), number: 1)
        try expectSuccess()
    }

    deinit { close(socket) }

    /// Runs a statement, and throws what the server says against it.
    func run(_ sql: String) throws {
        // COM_QUERY
        try send([3] + sql.utf8, number: 0)
        try expectSuccess()
    }

    /// Of `root`, without a password: the client's abilities, the longest packet, utf8mb4, and what stands for itself.
    private static func login(_ database: String) -> [UInt8] {
        let withDatabase: UInt32 = 8
        let protocol41: UInt32 = 0x200
        let transactions: UInt32 = 0x2000
        let secureConnection: UInt32 = 0x8000
        let authenticationPlugin: UInt32 = 0x8_0000
        let abilities = withDatabase | protocol41 | transactions | secureConnection | authenticationPlugin
        let numbers = [abilities, 1 << 24].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return numbers + [45] + [UInt8](repeating: 0, count: 23) + "root\0".utf8 + [0] + database.utf8 + [0]
            + "mysql_native_password\0".utf8
    }

    private func send(_ payload: [UInt8], number: UInt8) throws {
        let count = payload.count
        let head = [UInt8(count & 0xff), UInt8(count >> 8 & 0xff), UInt8(count >> 16), number]
        UnixSocket.send(head + payload, to: socket)
    }

    /// The packet that comes next: only one comes for each that is sent.
    private func receive() throws -> [UInt8] {
        var bytes: [UInt8] = []
        func isWhole() -> Bool {
            guard bytes.count >= 4 else { return false }
            return bytes.count - 4 >= Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        }
        while !isWhole() {
            guard let more = UnixSocket.receive(from: socket) else {
                throw BenchmarkError("MariaDB has closed the app's connection")
            }
            bytes += more
        }
        return Array(bytes.dropFirst(4))
    }

    private func expectSuccess() throws {
        let answer = try receive()
        guard answer.first == 0 else {
            throw BenchmarkError("the app's statement failed: \(String(decoding: answer, as: UTF8.self))")
        }
    }
}
