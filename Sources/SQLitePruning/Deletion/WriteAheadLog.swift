import Pruning

/// Keeps the write-ahead log short while a worker deletes.
///
/// Checkpoints are PASSIVE: they wait for nobody and keep nobody waiting. An app usually checkpoints by itself, after a
/// commit of its own that finds the log longer than 1,000 pages, and then it is left to it: a longer log first waits for
/// others to checkpoint. Only where nobody does, or nobody is there, the worker does.
final class WriteAheadLog {
    /// The length at which the log should be checkpointed while others have the store open.
    static let checkpointBytes = 6 << 20
    /// The same while nobody else has. The fewer, the better: each waits for the disk twice.
    static let checkpointBytesAlone = 32 << 20
    /// The length at which the worker waits for a reader that keeps the log from being checkpointed.
    static let limitBytes = 12 << 20
    /// The length at which it waits for readers that keep it from starting anew although all of it is checkpointed.
    static let completeLimitBytes = 16 << 20
    /// What is added at the most to a log that was longer than that already when it was met.
    static let allowanceBytes = 2 << 20
    /// How long others are waited for: longer than it takes to commit and checkpoint.
    static let patience = Duration.milliseconds(50)
    private static let lookInterval = Duration.milliseconds(1)

    private let path: String
    private let pageSize: Int
    private let flush: LogFlush
    private let control: RunControl
    private let monotonic: @Sendable () -> Duration
    /// Frames in the log when the worker came to share it: what was there before counts against no limit.
    private var framesMet: Int?
    /// Frames in the log when all of it was in the database, and the next commit should have started it anew.
    private var framesComplete: Int?
    /// In which of the log's fillings those two were seen.
    private var generation: UInt64?
    /// Whether others checkpoint, as far as is known: they are believed to until they leave a long log as it is.
    private var othersCheckpoint = true
    /// The log as the worker's last checkpoint left it.
    private var left: LogIndex?

    /// Follows the log of `db`, which must be in WAL mode.
    init(
        of db: Database, path: String, control: RunControl, monotonic: @escaping @Sendable () -> Duration
    ) throws {
        self.path = path
        self.control = control
        self.monotonic = monotonic
        flush = LogFlush(path: path + "-wal")
        pageSize = Int(try db.value("PRAGMA page_size").integer)
    }

    /// Checkpoints when it is time. Throws ``StoreError/Kind-swift.enum/logPinned`` when the log is at its limit and
    /// a reader keeps it from being reset.
    func maintain(_ db: Database, isAlone: Bool) throws {
        guard let found = LogIndex(of: db) else { return }
        guard bytes(found) >= (isAlone ? Self.checkpointBytesAlone : Self.checkpointBytes) else {
            (framesMet, framesComplete) = (nil, nil)
            if isAlone { flush.follow(bytes(found)) }
            return
        }
        if found.generation != generation {
            (generation, framesMet, framesComplete) = (found.generation, nil, nil)
        }
        let index = try shorten(found, db, isAlone: isAlone)
        let (met, limit): (Int, Int)
        if index.isBackfilled {
            // Only a commit can start the log anew, and does unless a reader uses it just then. Readers that follow one
            // another closely can let it grow although every checkpoint completes.
            (met, limit) = (min(framesComplete ?? index.frames, index.frames), Self.completeLimitBytes)
            framesComplete = met
        } else {
            (met, limit) = (min(framesMet ?? index.frames, index.frames), Self.limitBytes)
            framesMet = met
        }
        guard bytes(index) >= max(limit, met * pageSize + Self.allowanceBytes) else { return }
        throw StoreError(
            .logPinned, operation: "keep the write-ahead log short", place: path,
            cause: "a reader keeps the log from being reset, which has \(bytes(index) >> 20) MB",
            hint: "look for a long read transaction in the app; the next run goes on")
    }

    /// Leaves no long log behind: closing as the last one checkpoints, too, but keeps everybody out meanwhile, and where
    /// somebody has just come it would be theirs to do. A short one is left to those who are there.
    func finish(_ db: Database, isAlone: Bool) throws {
        guard let index = LogIndex(of: db), isAlone || bytes(index) >= Self.checkpointBytes else { return }
        _ = try shorten(index, db, isAlone: isAlone)
    }

    /// Cuts the file after pages were given back: a checkpoint does, but only one that gets to the log's end. An app that
    /// checkpoints by itself would leave a short log as it is.
    func cutFile(of db: Database) throws {
        guard let index = try db.checkpoint(), !index.isBackfilled else { return }
        throw StoreError(
            .logPinned, operation: "cut the file", place: path,
            cause: "a reader still needs the pages at its end",
            hint: "the file shrinks when that has ended and the log is next checkpointed")
    }

    private func bytes(_ index: LogIndex) -> Int { index.frames * pageSize }

    /// Has the log, which was `found`, written into the database, by others if they do; what became of it.
    private func shorten(_ found: LogIndex, _ db: Database, isAlone: Bool) throws -> LogIndex {
        if found.isBackfilled {
            // If not by the worker, then by others.
            if found != left { othersCheckpoint = true }
            return found
        }
        if !isAlone, othersCheckpoint {
            if let index = waitForOthers(db) { return index }
            othersCheckpoint = false
        }
        let index = try db.checkpoint() ?? found
        left = index
        return index
    }

    /// The log when others have checkpointed all of it, and may have started it anew; nil when they do not.
    private func waitForOthers(_ db: Database) -> LogIndex? {
        let end = monotonic() + Self.patience
        while control.stopReason == nil, monotonic() < end {
            control.pause(Self.lookInterval)
            guard let index = LogIndex(of: db) else { continue }
            if index.isBackfilled || bytes(index) < Self.checkpointBytes { return index }
        }
        return nil
    }
}
