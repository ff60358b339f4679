import FoundationEssentials
import Glibc

/// The mark of the service that runs on a state directory: a lock that the kernel takes away with the process, however it
/// ends. It leaves no file.
package final class ServicePresence: Sendable {
    private let descriptor: Int32

    /// Sets the mark, until the object goes. Nil where it cannot be set.
    ///
    /// Throws ``StoreError/Kind-swift.enum/busy`` when another service has set it.
    package init?(stateDirectory: String) throws(StoreError) {
        descriptor = Self.open(stateDirectory)
        guard descriptor >= 0 else { return nil }
        let isSet = try Self.takingTurns(on: stateDirectory) { [descriptor] () throws(StoreError) in
            try Self.set(on: descriptor, of: stateDirectory)
        }
        guard isSet else { return nil }
    }

    /// Also of one that could not be set.
    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Of two that start at once, one sees the other.
    private static func takingTurns(
        on directory: String, _ body: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        let lock = open(directory)
        defer { if lock >= 0 { close(lock) } }
        // Whoever was stopped in its turn keeps no service from starting.
        var tries = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK, tries < mostTries {
            usleep(microsecondsBetweenTries)
            tries += 1
        }
        return try body()
    }

    private static let mostTries = 500
    private static let microsecondsBetweenTries: UInt32 = 10_000

    private static func set(on descriptor: Int32, of directory: String) throws(StoreError) -> Bool {
        guard isSeen(on: descriptor) != true else { throw taken(directory) }
        // Shared, since a directory cannot be opened to write.
        return OpenFileLock.shared.take(descriptor)
    }

    private static func taken(_ directory: String) -> StoreError {
        let process = LockHolder.ofDirectory(directory)
        let who = process.map { "process \($0)" } ?? "another process"
        let stop = process.map { " (kill \($0))" } ?? ""
        return StoreError(
            .busy, operation: "serve", place: directory, cause: "\(who) serves it already",
            hint: "stop that one first\(stop), or give this one a --state-dir of its own")
    }

    /// Whether a service runs on `stateDirectory`; nil where that cannot be asked.
    package static func isSeen(stateDirectory: String) -> Bool? {
        let descriptor = open(stateDirectory)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return isSeen(on: descriptor)
    }

    private static func isSeen(on descriptor: Int32) -> Bool? {
        OpenFileLock.exclusive.isBarred(descriptor)
    }

    private static func open(_ directory: String) -> Int32 {
        Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
}

/// Which process holds a lock of an open file description. The lock itself does not tell: such locks belong to no process,
/// and only what the kernel says of each one's descriptors leads to it.
enum LockHolder {
    /// Another process with such a lock on `directory`; nil where none can be seen, as of another user's processes.
    static func ofDirectory(_ directory: String) -> pid_t? {
        var status = stat()
        guard stat(directory, &status) == 0 else { return nil }
        return entries(of: "/proc").compactMap(pid_t.init).sorted().first { process in
            process != getpid() && holds(process, status)
        }
    }

    private static func holds(_ process: pid_t, _ file: stat) -> Bool {
        entries(of: "/proc/\(process)/fd").contains { descriptor in
            var status = stat()
            guard stat("/proc/\(process)/fd/\(descriptor)", &status) == 0,
                status.st_dev == file.st_dev, status.st_ino == file.st_ino,
                let facts = FileManager.default.contents(atPath: "/proc/\(process)/fdinfo/\(descriptor)")
            else { return false }
            return String(decoding: facts, as: UTF8.self).contains("OFDLCK")
        }
    }

    private static func entries(of directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
