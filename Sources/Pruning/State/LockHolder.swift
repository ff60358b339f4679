import FoundationEssentials
import Glibc

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
