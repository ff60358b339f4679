import FoundationEssentials
import Glibc
import SQLite

/// Tells whether other processes have a store in WAL mode open, and so may wait for its lock.
///
/// Every connection in WAL mode has a shared lock on one byte of `-shm`, the "deadman switch" (sqlite3.c,
/// `UNIX_SHM_DMS`). The kernel reports the locks of other processes through the descriptor that SQLite has open. This
/// type opens none of its own, because closing it would drop SQLite's locks on the file.
struct OtherProcesses {
    private let sharedMemory: Int32

    /// The byte after the locks of the log's index: (22 + 8) * 4 + 8.
    private static let deadmanSwitch: off_t = 128

    /// Nil if the connections of this process to `store` have no such lock, as outside of WAL mode.
    init?(store: StoreFile) {
        guard let memory = store.directory.facts(store.name + "-shm")?.identity,
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        let found = descriptors.lazy.compactMap { Int32($0) }.first { descriptor in
            FileFacts(of: descriptor)?.identity == memory
        }
        guard let found else { return nil }
        sharedMemory = found
    }

    /// Whether any other process has the store open. Do not read this after this process has closed the store.
    var arePresent: Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.deadmanSwitch
        lock.l_len = 1
        return fcntl(sharedMemory, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
}
