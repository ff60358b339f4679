import FoundationEssentials
import Glibc

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
