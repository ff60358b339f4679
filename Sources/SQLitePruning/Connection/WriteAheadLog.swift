import Glibc
import Pruning
import SQLite

/// Keeps the write-ahead log short while a worker deletes.
///
/// Checkpoints are PASSIVE: they wait for nobody and keep nobody waiting. An app usually checkpoints by itself, inside a
/// commit that finds the log longer than 1,000 pages, and with a log that a worker fills, too, would do little else. So
/// where an app is seen to, the worker comes before it.
final class WriteAheadLog {
    /// The length at which the log should be checkpointed while others have the store open.
    static let checkpointBytes = 6 << 20
    /// The same while nobody else has. The fewer, the better: each waits for the disk twice.
    static let checkpointBytesAlone = 32 << 20
    /// The length, in pages, at which the log is checkpointed beside an app that checkpoints by itself: there is time for a
    /// batch and a pause before it has the 1,000 of SQLite's default.
    static let pagesBeforeOthers = 600
    /// The length at which the worker waits for a reader that keeps the log from being checkpointed.
    static let limitBytes = 12 << 20
    /// The length at which it waits for readers that keep it from starting anew although all of it is checkpointed.
    static let completeLimitBytes = 16 << 20
    /// What is added at the most to a log that was longer than that already when it was met.
    static let allowanceBytes = 2 << 20

    private let file: StoreFile
    private let pageSize: Int
    /// Frames in the log when the worker came to share it: what was there before counts against no limit.
    private var framesMet: Int?
    /// Frames in the log when all of it was in the database, and the next commit should have started it anew.
    private var framesComplete: Int?
    /// The log when it was last looked at.
    private var last: LogIndex?
    /// Whether anybody else has been seen to checkpoint.
    private var othersCheckpoint = false

    /// Follows the log of `db`, which must be in WAL mode and is of `file`.
    init(of db: Database, _ file: StoreFile) throws {
        self.file = file
        pageSize = Int(try db.value("PRAGMA page_size").integer)
    }

    /// Checkpoints when it is time. Throws ``StoreError/Kind-swift.enum/pinned`` when the log is at its limit and
    /// a reader keeps it from being reset.
    func maintain(_ db: Database, isAlone: Bool) throws {
        guard let found = look(db) else { return }
        guard bytes(found) >= checkpointBytes(isAlone: isAlone) else {
            (framesMet, framesComplete) = (nil, nil)
            return
        }
        guard let index = try checkpoint(db) else { return }
        let (met, usual): (Int, Int)
        if index.isBackfilled {
            // Only a commit can start the log anew, and does unless a reader uses it just then. Readers that follow one
            // another closely can let it grow although every checkpoint completes.
            (met, usual) = (min(framesComplete ?? index.frames, index.frames), Self.completeLimitBytes)
            framesComplete = met
        } else {
            (met, usual) = (min(framesMet ?? index.frames, index.frames), Self.limitBytes)
            framesMet = met
        }
        let limit = max(usual, met * pageSize + Self.allowanceBytes)
        guard bytes(index) >= limit else { return }
        // Where no app commits, a batch has to, but not again and again where readers only leave it short moments.
        if index.isBackfilled, bytes(index) < 2 * limit, try db.logReset().canReset() { return }
        throw StoreError(
            .pinned, operation: "keep the write-ahead log short", place: file.path,
            cause: "a reader prevents the reset of the log, which has \(bytes(index) >> 20) MB",
            hint: "look for a long read transaction in the app; the next run goes on")
    }

    /// Leaves no long log behind: closing as the last one checkpoints, too, but keeps everybody out meanwhile, and where
    /// somebody has just come it would be theirs to do. A short one is left to those who are there.
    func finish(_ db: Database, isAlone: Bool) throws {
        guard let found = look(db), isAlone || bytes(found) >= checkpointBytes(isAlone: false) else { return }
        _ = try checkpoint(db)
    }

    /// Waits until all of the log is on the disk; false where that fails.
    ///
    /// The descriptor is one of its own, which is safe for this file: SQLite has its locks on others.
    func sync() -> Bool {
        let log = CheckedOpen.open(file.name + "-wal", in: file.directory.descriptor, O_RDONLY)
        guard log >= 0 else { return false }
        defer { close(log) }
        return fdatasync(log) == 0
    }

    /// Cuts the file after pages were given back: a checkpoint does, but only one that gets to the log's end. An app that
    /// checkpoints by itself would leave a short log as it is.
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

    /// The log as it is. What has come into the database since the worker last looked, or had it written, was others' work.
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

    /// What became of the log, if that can be seen.
    private func checkpoint(_ db: Database) throws -> LogIndex? {
        last = try db.checkpoint()
        return last
    }
}
