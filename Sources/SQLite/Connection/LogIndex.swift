import CSQLite

/// The state of a write-ahead log, according to its index in shared memory; sqlite.org/walformat.html.
///
/// To read it takes no lock and changes nothing, unlike a checkpoint, which reports it too.
package struct LogIndex: Equatable {
    /// The number of frames in the log up to its last commit. A frame is a header and a page.
    package let frames: Int
    /// The number of these frames that are in the database.
    package let backfilled: Int
    /// The salts of the log. They change whenever the log is restarted.
    package let generation: UInt64
    /// Counts the commits of all processes. Starts again when a process rebuilds the index.
    package let commits: UInt32

    /// Whether the whole log is in the database.
    package var isBackfilled: Bool { backfilled == frames }
    /// Whether the log has frames and all of them are in the database, so that the next commit restarts the log.
    package var startsAnew: Bool { isBackfilled && frames > 0 }

    /// Nil while the index is being changed, and if ``Database/sharedMemory`` is nil.
    package init?(of db: Database) {
        guard let index = db.sharedMemory else { return nil }
        let header = Header(at: index)
        // The index has two copies of the header. A writer changes the second one first.
        guard header == Header(at: index + Header.bytes) else { return nil }
        frames = Int(header.frames)
        backfilled = Int(index.load(fromByteOffset: 2 * Header.bytes, as: UInt32.self))
        (generation, commits) = (header.salts, header.commits)
    }

    private struct Header: Equatable {
        let commits: UInt32
        let frames: UInt32
        let salts: UInt64

        static let bytes = 48

        init(at start: UnsafeRawPointer) {
            commits = start.load(fromByteOffset: 8, as: UInt32.self)
            frames = start.load(fromByteOffset: 16, as: UInt32.self)
            salts = start.load(fromByteOffset: 32, as: UInt64.self)
        }
    }
}

extension Database {
    /// The start of the shared memory of all connections to the file. In this process they all have it at the same
    /// address. Nil until ``isWAL()`` has returned true, because SQLite would create the memory if it were asked.
    package var sharedMemory: UnsafeRawPointer? {
        var memory: UnsafeMutableRawPointer?
        guard isKnownAsWAL, let file, let map = file.pointee.pMethods?.pointee.xShmMap,
            map(file, 0, Self.sharedRegionBytes, 0, &memory) == SQLITE_OK
        else { return nil }
        return UnsafeRawPointer(memory)
    }

    private static var sharedRegionBytes: CInt { 32_768 }
}
