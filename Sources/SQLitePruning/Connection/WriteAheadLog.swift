import Glibc
import Pruning
import SQLite

/// Limits the length of the write-ahead log while a worker deletes.
///
/// Checkpoints are PASSIVE: they wait for no process and block none. An app usually checkpoints by itself, in a commit
/// that finds more than 1,000 pages in the log. Because the worker fills the log too, the app would do little else. If
/// an app is seen to checkpoint, the worker therefore checkpoints earlier.
final class WriteAheadLog {
    /// The length at which the log is checkpointed while other processes have the store open.
    static let checkpointBytes = 6 << 20
    /// The same while no other process has the store open. Fewer checkpoints are better: each waits for the disk twice.
    static let checkpointBytesAlone = 32 << 20
    /// The length, in pages, at which the log is checkpointed if an app checkpoints by itself. It leaves time for a
    /// batch and a pause before the log reaches the 1,000 pages of SQLite's default.
    static let pagesBeforeOthers = 600
    /// The length at which the worker waits for a reader that prevents a complete checkpoint.
    static let limitBytes = 12 << 20
    /// The length at which the worker waits for readers that prevent a restart of the log after a complete checkpoint.
    static let completeLimitBytes = 16 << 20
    /// How much the worker may add to a log that was already longer than the limit when the worker first met it.
    static let allowanceBytes = 2 << 20

    private let file: StoreFile
    private let pageSize: Int
    /// Frames in the log at the first checkpoint that a reader limited. They do not count against the limit.
    private var framesMet: Int?
    /// Frames in the log at the first complete checkpoint, after which the next commit should have restarted the log.
    private var framesComplete: Int?
    /// The log when the worker last looked at it.
    private var last: LogIndex?
    /// Whether another process was seen to checkpoint.
    private var othersCheckpoint = false

    /// Watches the log of `db`, the database in `file`, which must be in WAL mode.
    init(of db: Database, _ file: StoreFile) throws {
        self.file = file
        pageSize = Int(try db.value("PRAGMA page_size").integer)
    }

    /// Checkpoints if it is time. Throws ``StoreErrorKind/pinned`` if the log is at its limit and a reader
    /// prevents its reset.
    func maintain(_ db: Database, isAlone: Bool) throws {
        guard let found = look(db) else { return }
        guard bytes(found) >= checkpointBytes(isAlone: isAlone) else {
            (framesMet, framesComplete) = (nil, nil)
            return
        }
        guard let index = try checkpoint(db) else { return }
        let (met, usual): (Int, Int)
        if index.isBackfilled {
            // Only a commit can restart the log, and it does so unless a reader uses the log at that moment. If readers
            // overlap closely, the log can grow although every checkpoint is complete.
            (met, usual) = (min(framesComplete ?? index.frames, index.frames), Self.completeLimitBytes)
            framesComplete = met
        } else {
            (met, usual) = (min(framesMet ?? index.frames, index.frames), Self.limitBytes)
            framesMet = met
        }
        let limit = max(usual, met * pageSize + Self.allowanceBytes)
        guard bytes(index) >= limit else { return }
        // If no app commits, only a batch can restart the log, so the worker goes on. It stops at twice the limit,
        // because readers may leave gaps that are too short for a batch.
        if index.isBackfilled, bytes(index) < 2 * limit, try db.logReset().canReset() { return }
        throw StoreError(
            .pinned, operation: "keep the write-ahead log short", place: file.path,
            cause: "a reader prevents the reset of the log, which has \(bytes(index) >> 20) MB",
            hint: "look for a long read transaction in the app; the next run goes on")
    }

    /// Checkpoints a long log before the connection is closed. SQLite also checkpoints when the last connection closes,
    /// but blocks everybody meanwhile. If an app has just opened the store, that work would fall to the app. A short
    /// log is left to the processes that have the store open.
    func finish(_ db: Database, isAlone: Bool) throws {
        guard let found = look(db), isAlone || bytes(found) >= checkpointBytes(isAlone: false) else { return }
        _ = try checkpoint(db)
    }

    /// Waits until the whole log is on the disk. Returns false if that fails.
    ///
    /// Closing this descriptor drops no locks of SQLite, because SQLite sets none on the log.
    func sync() -> Bool {
        let log = CheckedOpen.open(file.name + "-wal", in: file.directory.descriptor, O_RDONLY)
        guard log >= 0 else { return false }
        defer { close(log) }
        return fdatasync(log) == 0
    }

    /// Truncates the file after pages were given back. A checkpoint does that, but only if it reaches the end of the
    /// log. The worker does not leave it to the app, which would not checkpoint a short log by itself.
    func cutFile(of db: Database) throws {
        guard let index = try checkpoint(db), !index.isBackfilled else { return }
        throw StoreError(
            .pinned, operation: "truncate the file", place: file.path,
            cause: "a reader still needs the pages at its end",
            hint: "the file shrinks once the reader has ended and the log is checkpointed")
    }

    private func bytes(_ index: LogIndex) -> Int { index.frames * pageSize }

    private func checkpointBytes(isAlone: Bool) -> Int {
        if isAlone { return Self.checkpointBytesAlone }
        return othersCheckpoint
            ? min(Self.pagesBeforeOthers * pageSize, Self.checkpointBytes) : Self.checkpointBytes
    }

    /// The current state of the log. If frames were checkpointed since the worker last looked or checkpointed, another
    /// process did that.
    private func look(_ db: Database) -> LogIndex? {
        guard let found = LogIndex(of: db) else { return nil }
        if let last {
            let isSame = found.generation == last.generation
            if isSame ? found.backfilled > last.backfilled : !last.isBackfilled { othersCheckpoint = true }
            if !isSame { (framesMet, framesComplete) = (nil, nil) }
        }
        last = found
        return found
    }

    /// Checkpoints, and returns the state of the log afterwards; nil if that cannot be read.
    private func checkpoint(_ db: Database) throws -> LogIndex? {
        last = try db.checkpoint()
        return last
    }
}
