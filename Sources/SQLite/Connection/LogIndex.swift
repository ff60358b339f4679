import CSQLite

/// What the index of a write-ahead log, in shared memory, says of the log; sqlite.org/walformat.html.
///
/// Looking at it takes no lock and changes nothing, unlike asking by a checkpoint.
package struct LogIndex: Equatable {
    /// The frames in the log up to its last commit: a header and a page each.
    package let frames: Int
    /// How many of them are in the database.
    package let backfilled: Int
    /// Which of the log's fillings this is, by its salts: whoever starts the log anew changes them.
    package let generation: UInt64
    /// Counts commits, of everybody; begins anew when somebody rebuilds the index.
    package let commits: UInt32

    /// Whether all of the log is in the database.
    package var isBackfilled: Bool { backfilled == frames }
    /// Whether all of it is and there is some, so that the next commit starts the log anew.
    package var startsAnew: Bool { isBackfilled && frames > 0 }

    /// Nil when the index is just being changed, and where ``Database/sharedMemory`` is.
    package init?(of db: Database) {
        guard let index = db.sharedMemory else { return nil }
        let header = Header(at: index)
        // The header stands there twice, and a writer changes the second one first.
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
    /// Where the shared memory begins that all connections to the file have in common, in this process at one address. Nil
    /// before ``isWAL()`` has said that there is one: to ask SQLite for it would make it.
    package var sharedMemory: UnsafeRawPointer? {
        var memory: UnsafeMutableRawPointer?
        guard isKnownAsWAL, let file, let map = file.pointee.pMethods?.pointee.xShmMap,
            map(file, 0, Self.sharedRegionBytes, 0, &memory) == SQLITE_OK
        else { return nil }
        return UnsafeRawPointer(memory)
    }

    private static var sharedRegionBytes: CInt { 32_768 }
}
