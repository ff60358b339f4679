import Foundation

/// The mark of a service that runs on a state directory: a lock that the kernel takes away with the process, however it
/// ends. It leaves no file, and is apart from ``DirectoryLock``.
public final class ServicePresence: Sendable {
    private let descriptor: Int32

    /// Sets the mark, until the object goes. Nil when it cannot be set.
    public init?(stateDirectory: String) {
        descriptor = Self.open(stateDirectory)
        // Shared, so that it is in nobody's way; of the open file, and not of the process, which would lose it when it
        // closes any other descriptor of the directory.
        var lock = Self.lock(F_RDLCK)
        guard descriptor >= 0, fcntl(descriptor, Self.setLock, &lock) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Whether a service runs on `stateDirectory`; nil where that cannot be asked.
    public static func isSeen(stateDirectory: String) -> Bool? {
        let descriptor = open(stateDirectory)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var lock = lock(F_WRLCK)
        guard fcntl(descriptor, getLock, &lock) == 0 else { return nil }
        return lock.l_type != Int16(F_UNLCK)
    }

    private static func open(_ directory: String) -> Int32 {
        Foundation.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    private static func lock(_ type: Int32) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        return lock
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK`, fcntl(2).
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)
}
