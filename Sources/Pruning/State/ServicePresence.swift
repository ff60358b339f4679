import FoundationEssentials
import Glibc

/// Marks a state directory as used by a running service. The mark is a lock on the ledger's directory, where nobody but the
/// owner can set it. The kernel removes it when the process ends, however it ends. It leaves no file behind.
package final class ServicePresence: Sendable {
    private let descriptor: Int32

    /// Sets the mark, until the object is released. Returns nil where it cannot be set.
    ///
    /// Throws ``StoreErrorKind/busy`` when another service has set it.
    package init?(stateDirectory: String) throws(StoreError) {
        descriptor = Self.open(stateDirectory)
        guard descriptor >= 0 else { return nil }
        let isSet = try Self.takingTurns(on: stateDirectory) { [descriptor] () throws(StoreError) in
            try Self.set(on: descriptor, of: stateDirectory)
        }
        guard isSet else { return nil }
    }

    /// Runs also when the mark could not be set.
    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Runs `body` under a lock, so that of two services starting at once one sees the other's mark.
    private static func takingTurns(
        on directory: String, _ body: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        let lock = open(directory)
        defer { if lock >= 0 { close(lock) } }
        // Gives up waiting after a while: a process suspended here must not prevent a service from starting.
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
        // A shared lock, since a directory cannot be opened for writing.
        return OpenFileLock.shared.take(descriptor)
    }

    private static func taken(_ directory: String) -> StoreError {
        let process = LockHolder.ofDirectory(ledger(in: directory))
        let who = process.map { "process \($0)" } ?? "another process"
        let stop = process.map { " (kill \($0))" } ?? ""
        return StoreError(
            .busy, operation: "serve", place: directory, cause: "\(who) serves it already",
            hint: "stop that one first\(stop), or give this one a --state-dir of its own")
    }

    /// Whether a service runs on `stateDirectory`; nil where that cannot be determined.
    package static func isSeen(stateDirectory: String) -> Bool? {
        let descriptor = open(stateDirectory)
        guard descriptor >= 0 else {
            // No service has begun there yet.
            return errno == ENOENT && access(stateDirectory, F_OK) == 0 ? false : nil
        }
        defer { close(descriptor) }
        return isSeen(on: descriptor)
    }

    /// The process of the service that runs on `stateDirectory`; nil where none can be seen.
    package static func process(stateDirectory: String) -> pid_t? {
        isSeen(stateDirectory: stateDirectory) == true
            ? LockHolder.ofDirectory(ledger(in: stateDirectory)) : nil
    }

    private static func isSeen(on descriptor: Int32) -> Bool? {
        OpenFileLock.exclusive.isBarred(descriptor)
    }

    private static func ledger(in stateDirectory: String) -> String { stateDirectory + "/ledger" }

    private static func open(_ stateDirectory: String) -> Int32 {
        Glibc.open(ledger(in: stateDirectory), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
}

/// Finds the process that has an open file description lock. The lock itself does not name one, since it belongs to no
/// process. But the kernel lists such locks with each process's descriptors in /proc.
enum LockHolder {
    /// Another process with such a lock on `directory`; nil where none can be seen, for example because it belongs to
    /// another user.
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
