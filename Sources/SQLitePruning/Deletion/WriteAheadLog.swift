import GRDBSQLite
import Pruning

/// Keeps the write-ahead log short while a worker deletes.
///
/// Checkpoints are PASSIVE: they wait for nobody and keep nobody waiting. They begin well above the length at which
/// an app's own connection checkpoints by default (1,000 pages), so that on a store whose app does it, it is the app
/// that does it: two connections that checkpoint and restart the log at one instant can damage it
/// (sqlite.org/wal.html, "The WAL-Reset Bug", before 3.51.3).
final class WriteAheadLog {
    /// The length at which checkpoints begin.
    static let checkpointBytes = 6 << 20
    /// The same while nobody else has the store open. The fewer, the better: each waits for the disk twice.
    static let checkpointBytesAlone = 32 << 20
    /// The length at which the worker waits for a reader that keeps the log from being checkpointed.
    static let limitBytes = 12 << 20
    /// The length at which it waits for readers that keep it from starting anew although all of it is checkpointed.
    static let completeLimitBytes = 16 << 20
    /// What is added at the most to a log that was longer than that already when it was met.
    static let allowanceBytes = 2 << 20

    private let path: String
    private let pageSize: Int
    private let flush: LogFlush
    /// Pages in the log after the last commit of this connection.
    fileprivate var pages = 0
    /// Pages in the log when the worker came to share it: what was there before counts against no limit.
    private var pagesMet: Int?
    /// Pages in the log when all of it was in the database, and the next commit should have started it anew.
    private var pagesComplete: Int?
    /// In which of the log's fillings those two were seen.
    private var salts: UInt64?

    /// Follows the log of `db`; nil when `db` has none.
    init?(of db: Database, path: String) throws {
        guard try db.value("PRAGMA journal_mode").string == "wal" else { return nil }
        self.path = path
        flush = LogFlush(path: path + "-wal")
        pageSize = Int(try db.value("PRAGMA page_size").integer)
        sqlite3_wal_hook(
            db.handle,
            { log, _, _, pages in
                guard let log else { return SQLITE_OK }
                Unmanaged<WriteAheadLog>.fromOpaque(log).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Checkpoints when it is time. Throws ``StoreError/Kind-swift.enum/logPinned`` when the log is at its limit and
    /// a reader keeps it from being reset.
    func maintain(_ db: Database, isAlone: Bool) throws {
        guard pages * pageSize >= (isAlone ? Self.checkpointBytesAlone : Self.checkpointBytes) else {
            (pagesMet, pagesComplete) = (nil, nil)
            if isAlone { flush.follow(pages * pageSize) }
            return
        }
        let salts = salts(of: db)
        if salts != self.salts {
            (self.salts, pagesMet, pagesComplete) = (salts, nil, nil)
        }
        let (logged, checkpointed) = try checkpoint(db)
        // An app that writes may have started the log anew since the last commit here. -1: somebody else checkpoints.
        if logged >= 0 { pages = logged }
        let (met, limit): (Int, Int)
        if logged == checkpointed {
            // Only a commit can start the log anew, and does unless a reader uses it just then. Readers that follow one
            // another closely can let it grow although every checkpoint completes.
            (met, limit) = (min(pagesComplete ?? pages, pages), Self.completeLimitBytes)
            pagesComplete = met
        } else {
            (met, limit) = (min(pagesMet ?? pages, pages), Self.limitBytes)
            pagesMet = met
        }
        guard pages * pageSize >= max(limit, met * pageSize + Self.allowanceBytes) else { return }
        throw StoreError(
            .logPinned, operation: "keep the write-ahead log short", place: path,
            cause: "a reader keeps the log from being reset, which has \((pages * pageSize) >> 20) MB",
            hint: "look for a long read transaction in the app; the next run goes on")
    }

    /// What whoever starts the log anew changes in its header, "Salt-1" and "Salt-2",
    /// sqlite.org/fileformat2.html#the_write_ahead_log: it tells of a log that was started anew by a commit as long as all that
    /// there was before. Nil when it cannot be read.
    private func salts(of db: Database) -> UInt64? {
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(db.handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        var salts: UInt64 = 0
        guard let log, log.pointee.pMethods?.pointee.xRead(log, &salts, 8, 16) == SQLITE_OK else {
            return nil
        }
        return salts
    }

    /// Leaves no long log behind: closing as the last one checkpoints, too, but keeps everybody out meanwhile, and where
    /// somebody has just come it would be theirs to do. A short one is left to those who are there.
    func finish(_ db: Database, isAlone: Bool) throws {
        guard isAlone || pages * pageSize >= Self.checkpointBytes else { return }
        _ = try checkpoint(db)
    }

    /// Cuts the file after pages were given back: a checkpoint does, but only one that gets to the log's end.
    func cutFile(of db: Database) throws {
        let (logged, checkpointed) = try checkpoint(db)
        guard logged < 0 || logged != checkpointed else { return }
        throw StoreError(
            .logPinned, operation: "cut the file", place: path,
            cause: "a reader still needs the pages at its end",
            hint: "the file shrinks when that has ended and the log is next checkpointed")
    }

    /// Checkpoints again while an app has written meanwhile: only a commit that finds all of the log in the database
    /// starts it anew, and the next one should be ours, at once.
    private func checkpoint(_ db: Database) throws -> (logged: Int, checkpointed: Int) {
        var last = (logged: 0, checkpointed: 0)
        for _ in 0..<Self.mostCheckpoints {
            let row = try db.row("PRAGMA wal_checkpoint(PASSIVE)")?.map { Int($0.integer) } ?? [0, 0, 0]
            let now = (logged: row[1], checkpointed: row[2])
            if now == last || now.logged != now.checkpointed { return now }
            last = now
        }
        return last
    }

    private static let mostCheckpoints = 5

    /// Must be called before the log goes away.
    func stopFollowing(_ db: Database) {
        sqlite3_wal_hook(db.handle, nil, nil)
    }
}
