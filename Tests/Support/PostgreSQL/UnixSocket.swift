import Foundation

/// Stream sockets with a path.
package enum UnixSocket {
    /// Listens at `path`, for everybody.
    static func listen(at path: String) throws -> Int32 {
        let socket = try make(path) { bind($0, $1, $2) }
        chmod(path, 0o777)
        guard Glibc.listen(socket, 100) == 0 else { throw POSIXError(.EIO) }
        return socket
    }

    package static func connect(to path: String) throws -> Int32 {
        try make(path) { Glibc.connect($0, $1, $2) }
    }

    private static func make(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { space in
            space.copyBytes(from: path.utf8.prefix(space.count - 1))
        }
        let status = withUnsafeBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { use(socket, $0.baseAddress, socklen_t(raw.count)) }
        }
        guard status == 0 else {
            let code = errno
            close(socket)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
        return socket
    }

    /// What has come; nil at the end.
    package static func receive(from socket: Int32) -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? buffer[..<count] : nil
    }

    /// Sends all of it; the other end may be gone.
    package static func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
