import CSpawning
import Foundation

/// A file in memory, for the standard streams of a program. A pipe that nobody empties would stop the program.
package final class UnnamedFile: Sendable {
    package let descriptor: Int32

    package init() throws {
        descriptor = spawning_memory_file()
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
    }

    deinit { close(descriptor) }

    /// Writes `text`, which is then read from its beginning.
    func fill(_ text: String) throws {
        try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
        lseek(descriptor, 0, SEEK_SET)
    }

    /// All that was written to it so far.
    package var text: String {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
