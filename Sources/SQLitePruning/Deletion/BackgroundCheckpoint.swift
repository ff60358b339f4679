import Dispatch

/// Writes the log into the database while the worker goes on appending to it.
///
/// A checkpoint waits for the disk and copies every page: for random keys a fifth of a run, in which nothing else happens.
/// One that runs beside the batches never gets to the log's end, so it does not start anew, but the last one, for which the
/// worker stops, finds little left to do. Nobody else may be there: they would wait for the disk, too.
final class BackgroundCheckpoint {
    /// How much more of the log makes it worth another one.
    static let step = 8 << 20

    private let log: Log
    private let queue = DispatchQueue(label: "pruned.checkpoint")
    private let idle = DispatchSemaphore(value: 1)
    /// The length of the log when the last one began.
    private var begun = 0

    /// For the log of `db`.
    init(of db: Database) {
        log = Log(uri: db.uri, busyTimeout: db.busyTimeout, memory: UInt(bitPattern: db.sharedMemory))
    }

    /// Takes note that the log has grown to `length`, or was started anew. Waits for nothing.
    func follow(_ length: Int) {
        if length < begun { begun = 0 }
        guard length - begun >= Self.step, idle.wait(timeout: .now()) == .success else { return }
        begun = length
        queue.async { [log, idle] in
            // What fails here, the worker's own checkpoint meets as well.
            try? log.checkpoint()
            idle.signal()
        }
    }

    /// Waits until none is under way.
    func wait() {
        idle.wait()
        idle.signal()
    }

    /// What a connection of the queue's own needs: those of the worker are for its thread.
    private struct Log: Sendable {
        let uri: String
        let busyTimeout: CInt
        /// The address of ``Database/sharedMemory``, by which another file in the store's place is told.
        let memory: UInt

        func checkpoint() throws {
            let db = try Database(uri: uri, isReadOnly: false, busyTimeout: busyTimeout)
            defer { db.close() }
            guard try db.isWAL(), UInt(bitPattern: db.sharedMemory) == memory else { return }
            _ = try db.checkpoint(atMost: 1)
        }
    }
}
