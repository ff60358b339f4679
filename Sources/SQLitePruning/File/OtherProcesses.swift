import FoundationEssentials
import Glibc
import SQLite

/// Whether other processes have a store in WAL mode open: then somebody may wait for its lock.
///
/// Every connection in WAL mode keeps a shared lock on one byte of `-shm`, the "deadman switch" (sqlite3.c,
/// `UNIX_SHM_DMS`). The kernel tells of the locks of other processes through the descriptor that SQLite has; none is
/// opened here, for closing it would drop the locks that SQLite holds on the file.
struct OtherProcesses {
    private let sharedMemory: Int32

    /// The byte after the locks of the write-ahead log's index: (22 + 8) * 4 + 8.
    private static let deadmanSwitch: off_t = 128

    /// Nil when the connections that this process has on `store` keep no such lock, as outside of WAL mode.
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

    /// Whether any other process has the store open. Must not be asked after this process has closed it.
    var arePresent: Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.deadmanSwitch
        lock.l_len = 1
        return fcntl(sharedMemory, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
}
