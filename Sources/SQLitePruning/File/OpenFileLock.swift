import Foundation

/// A lock of an open file description on all of its file: unlike one of flock(2), it can be asked after without being
/// tried, and unlike one of the process, no other descriptor that is closed drops it.
enum OpenFileLock {
    /// Takes it for the description of `file`, which is open to write, if nobody has it; else `errno` says why not.
    static func take(_ file: Int32) -> Bool {
        var lock = lock()
        return fcntl(file, setLock, &lock) == 0
    }

    /// Whether another description has it.
    static func isTaken(_ file: Int32) -> Bool {
        var lock = lock()
        return fcntl(file, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static func lock() -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK`, fcntl(2).
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)
}
