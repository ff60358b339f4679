import Dispatch
import Glibc
import SQLite

/// Sends what a worker has written to the log to the disk while the worker goes on.
///
/// A checkpoint waits until all of the log is on the disk, before it writes a page into the database. Of a log that grows
/// to tens of megabytes most is there already, then. An error is not lost: the kernel tells it once to every descriptor
/// that is open, and so to SQLite's, when the checkpoint asks.
///
/// The descriptor is one of its own, which is safe for this file: SQLite has its locks on others.
final class LogFlush {
    /// How much more of the log makes it worth another time.
    static let step = 8 << 20

    private let store: StoreFile
    /// Opened when it is first needed.
    private var file: Int32?
    private let queue = DispatchQueue(label: "pruned.log-flush")
    private let idle = DispatchSemaphore(value: 1)
    /// The length of the log when it was last sent.
    private var sent = 0

    /// For the log of `store`, which need not be there yet.
    init(logOf store: StoreFile) {
        self.store = store
    }

    /// What is under way ends first, and nobody waits for it.
    deinit {
        guard let file else { return }
        queue.async { close(file) }
    }

    /// Takes note that the log has grown to `length`, or was started anew. Waits for nothing.
    func follow(_ length: Int) {
        if length < sent { sent = 0 }
        guard length - sent >= Self.step, let file = opened(), idle.wait(timeout: .now()) == .success
        else { return }
        sent = length
        queue.async { [idle] in
            fdatasync(file)
            idle.signal()
        }
    }

    /// Waits until all of the log is on the disk; false where that fails.
    func sync() -> Bool { opened().map { fdatasync($0) == 0 } ?? false }

    private func opened() -> Int32? {
        if let file { return file }
        let opened = CheckedOpen.open(store.name + "-wal", in: store.directory.descriptor, O_RDONLY)
        file = opened >= 0 ? opened : nil
        return file
    }
}
