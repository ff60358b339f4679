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
    private let freePages: FreePages
    private var deletion: Deletion?

    init(
        path: String, control: RunControl, monotonic: @escaping @Sendable () -> Duration
    ) throws(StoreError) {
        self.path = path
        self.monotonic = monotonic
        freePages = FreePages(path: path)
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
        try change("give free pages back") { [freePages, monotonic] db in
            try freePages.giveBack(pages, within: limit, in: db, monotonic: monotonic)
        }
    }

    func shrinkFile() throws(StoreError) {
        guard log != nil else { return }
        try connection.perform("cut the file") { [freePages] db in try freePages.cutFile(db) }
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
