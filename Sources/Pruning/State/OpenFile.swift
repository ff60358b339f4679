import FoundationEssentials
import Glibc

/// An open file that is closed with the value.
final class OpenFile {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Nil where it cannot be read.
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

/// A lock of an open file description on all of its file: unlike one of flock(2), it can be asked after without being
/// tried, and unlike one of the process, no other descriptor that is closed drops it.
package enum OpenFileLock {
    /// Needs a file that is open to write.
    case exclusive
    case shared

    /// Takes it for the description of `file`, if nobody has one that is in its way; else `errno` says why not.
    package func take(_ file: Int32) -> Bool {
        var lock = lock
        return fcntl(file, Self.setLock, &lock) == 0
    }

    /// Whether another description has one that is in its way; nil where that cannot be asked.
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
