import FoundationEssentials
import Glibc

/// An open file descriptor, closed when the object is released.
final class OpenFile {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads from the current position up to the end or `limit` bytes. Returns nil on a read error.
    func read(upTo limit: Int = .max) -> Data? {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while data.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - data.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            data.append(contentsOf: buffer[..<count])
        }
        return data
    }
}

/// An open file description lock on a whole file, see fcntl(2). Unlike a flock(2) lock, it can be queried without
/// taking it. Unlike a process-owned lock, it is not dropped when another descriptor of the file is closed.
package enum OpenFileLock {
    /// Needs a file that is open for writing.
    case exclusive
    case shared

    /// Takes the lock for the file description of `file`. Returns false and sets `errno` if another lock conflicts or
    /// the call fails.
    package func take(_ file: Int32) -> Bool {
        var lock = lock
        return fcntl(file, Self.setLock, &lock) == 0
    }

    /// Whether another file description has a conflicting lock; nil where that cannot be queried.
    package func isBarred(_ file: Int32) -> Bool? {
        var lock = lock
        guard fcntl(file, Self.getLock, &lock) == 0 else { return nil }
        return lock.l_type != Int16(F_UNLCK)
    }

    private var lock: flock {
        var lock = flock()
        lock.l_type = Int16(self == .shared ? F_RDLCK : F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK`, fcntl(2).
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)
}
