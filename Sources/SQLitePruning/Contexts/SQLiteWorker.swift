import GRDB
import Pruning
import Retention

/// The worker context of a SQLite file: one connection, one thing at a time, in short transactions.
final class SQLiteWorker: WorkerContext {
    private let path: String
    private let connection: Connection
    private let monotonic: @Sendable () -> Duration
    private let log: WriteAheadLog?
    private let inode: UInt64?
    private var deletion: Deletion?
    /// As of the last step that gave pages back.
    private var dataVersion: Int?

    init(
        path: String, control: RunControl, monotonic: @escaping @Sendable () -> Duration
    ) throws(StoreError) {
        self.path = path
        self.monotonic = monotonic
        connection = try Connection(.write, path: path, control: control)
        inode = FileFacts(at: path)?.inode
        log = try connection.perform("read the journal mode") { try WriteAheadLog(of: $0, path: path) }
    }

    func begin(_ task: PruneTask, expired: Int64) throws(StoreError) -> DeletePlan {
        let path = path
        let deletion = try connection.perform("prepare rule \(task.rule.name)") { db in
            try Deletion(task: task, expired: expired, path: path, in: db)
        }
        self.deletion = deletion
        return deletion.plan
    }

    func deleteBatch(rows: Int) throws(StoreError) -> BatchResult {
        guard let deletion else {
            throw StoreError(
                .other, operation: "delete a batch", place: path, cause: "no task was begun")
        }
        return try change("delete expired rows of \(deletion.task.rule.table)") { [monotonic] db in
            try deletion.deleteBatch(rows: rows, in: db, monotonic: monotonic)
        }
    }

    func reclaim(pages: Int, within limit: Duration) throws(StoreError) -> BatchResult {
        try change("give free pages back") { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA data_version")
            defer { dataVersion = version }
            let asked = monotonic()
            let (given, held) = try write(to: db) {
                try FreePages.giveBack(pages, within: limit, in: db, monotonic: monotonic)
            }
            return BatchResult(
                deleted: given.pages, dependentsDeleted: 0, visited: pages, held: held,
                waited: monotonic() - asked - held, othersWrote: dataVersion.map { $0 != version } ?? false,
                isLast: given.isLast)
        }
    }

    func shrinkFile() throws(StoreError) {
        guard log != nil else { return }
        try connection.perform("cut the file") { [path] db in try FreePages.cutFile(of: db, path: path) }
    }

    /// Runs `body` in a write transaction, and tells for how long that kept the lock.
    private func write<Result>(
        to db: Database, _ body: () throws -> Result
    ) throws -> (result: Result, held: Duration) {
        try db.beginTransaction(.immediate)
        let granted = monotonic()
        do {
            let result = try body()
            try db.commit()
            return (result, monotonic() - granted)
        } catch {
            // SQLite may have rolled back already; what failed is what the caller must hear.
            try? db.rollback()
            throw error
        }
    }

    /// Runs `body`, unless the app has put another file in the place of the one that is open.
    private func change<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        guard FileFacts(at: path)?.inode == inode else {
            throw StoreError(
                .replaced, operation: operation, place: path,
                cause: "another file has taken its place during the run", hint: "the next run opens that one")
        }
        return try connection.perform(operation, body)
    }

    func maintainLog() throws(StoreError) {
        guard let log else { return }
        try connection.perform("checkpoint") { try log.maintain($0) }
    }

    func close() {
        if let log { connection.queue.writeWithoutTransaction { log.stopFollowing($0) } }
        connection.close()
    }
}
