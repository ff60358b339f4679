import GRDB
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
    /// The length at which the worker waits until the log can be reset.
    static let limitBytes = 12 << 20
    /// The length at which it waits although all of the log is in the database.
    static let completeLimitBytes = 16 << 20

    private let path: String
    private let pageSize: Int
    /// Pages in the log after the last commit of this connection.
    fileprivate var pages = 0
    /// Pages that were in the log when somebody else came; they count against no limit.
    private var pagesWhenAlone = 0

    /// Follows the log of `db`; nil when `db` has none.
    init?(of db: Database, path: String) throws {
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else { return nil }
        self.path = path
        pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
        sqlite3_wal_hook(
            db.sqliteConnection,
            { log, _, _, pages in
                guard let log else { return SQLITE_OK }
                Unmanaged<WriteAheadLog>.fromOpaque(log).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Checkpoints when it is time. Throws ``StoreError/Kind-swift.enum/logPinned`` when the log is at its limit and
    /// a reader keeps it from being reset.
    func maintain(_ db: Database, isAlone: Bool) throws {
        if isAlone || pages < pagesWhenAlone { pagesWhenAlone = isAlone ? pages : 0 }
        guard pages * pageSize >= (isAlone ? Self.checkpointBytesAlone : Self.checkpointBytes) else { return }
        let (logged, checkpointed) = try checkpoint(db)
        // An app that writes may have started the log anew since the last commit here. -1: somebody else checkpoints.
        if logged >= 0 { pages = logged }
        // When all of the log is in the database, the next commit starts it anew, unless a reader uses it just then.
        // Readers that follow one another closely can let it grow although every checkpoint completes.
        let limit = logged == checkpointed ? Self.completeLimitBytes : Self.limitBytes
        guard (pages - pagesWhenAlone) * pageSize >= limit else { return }
        throw StoreError(
            .logPinned, operation: "keep the write-ahead log short", place: path,
            cause: "a reader has kept it from being reset at \((pages * pageSize) >> 20) MB",
            hint: "look for a long read transaction in the app; the next run goes on")
    }

    /// Checkpoints again while an app has written meanwhile: only a commit that finds all of the log in the database
    /// starts it anew, and the next one should be ours, at once.
    private func checkpoint(_ db: Database) throws -> (logged: Int, checkpointed: Int) {
        var last = (logged: 0, checkpointed: 0)
        for _ in 0..<Self.mostCheckpoints {
            let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(PASSIVE)")
            let now: (logged: Int, checkpointed: Int) = (row?[1] ?? 0, row?[2] ?? 0)
            if now == last || now.logged != now.checkpointed { return now }
            last = now
        }
        return last
    }

    private static let mostCheckpoints = 5

    /// Must be called before the log goes away.
    func stopFollowing(_ db: Database) {
        sqlite3_wal_hook(db.sqliteConnection, nil, nil)
    }
}
