import Foundation
import Synchronization

/// The writing end of a pipe that a program reads. No other program inherits it, so the reader sees its end when this
/// object goes, or this process.
final class PipeInput: Sendable {
    /// The end that the program gets. It is closed by ``handOver()``.
    let reading: Int32
    private let writing: Int32
    private let isOpen = Mutex(true)

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit { end() }

    /// Has the reader see the end.
    func end() {
        isOpen.withLock { isOpen in
            if isOpen { close(writing) }
            isOpen = false
        }
    }

    /// To be called once, after the program has started.
    func handOver() { close(reading) }

    func write(_ text: String) throws {
        try FileHandle(fileDescriptor: writing).write(contentsOf: Data(text.utf8))
    }
}
