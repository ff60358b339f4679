import Foundation

/// A file without a name, for the standard streams of a program.
final class UnnamedFile: Sendable {
    let descriptor: Int32

    init() throws {
        var name = Array("/tmp/pruned-stream-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Writes `text`, which is then read from its beginning.
    func fill(_ text: String) throws {
        try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
        lseek(descriptor, 0, SEEK_SET)
    }

    /// All that was written to it so far.
    var text: String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count)), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
