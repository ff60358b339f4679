import Pruning
import Retention
import SQLite

/// The worker context of a SQLite file: a single connection, one operation at a time, in short transactions.
final class SQLiteWorker: WorkerContext {
    let path: String
    let connection: Connection
    private let control: RunControl
    private let terms: AppTerms
    private let appLock: AppLock?
    private let lockTime: LockTime
    private let monotonic: @Sendable () -> Duration
    /// Nil outside of WAL mode.
    private var log: WriteAheadLog?
    private var others: OtherProcesses?
    private var deletion: Deletion?
    private let archive: StoreArchive?
    private let archiving: Archiving?
    private let leases: LeaseFunction?
    /// The data version of the last batch.
    private var dataVersion: Int64?
    /// The log's number of commits after the last batch.
    private var commits: UInt32?

    init(
        path: String, control: RunControl, terms: AppTerms = AppTerms(), archive: StoreArchive? = nil,
        lockTime: LockTime = LockTime(), monotonic: @escaping @Sendable () -> Duration
    ) throws(StoreError) {
        self.path = path
        (self.control, self.terms, self.archive, self.lockTime) = (control, terms, archive, lockTime)
        appLock = try terms.lock(beside: StoreFile(path: path))
        try appLock?.check()
        self.monotonic = monotonic
        archiving = archive.map { Archiving(archive: $0.archive, control: control) }
        connection = try Connection(.write, path: path, control: control)
        leases = archive.map(LeaseFunction.init)
        try followLog()
    }

    /// The app may switch to WAL mode at any time, but not back while the store is open here.
    private func followLog() throws(StoreError) {
        guard log == nil else { return }
        log = try connection.perform("read the journal mode") { [file = connection.file] db in
            guard try db.isWAL() else { return nil }
            return try WriteAheadLog(of: db, file)
        }
        others = log == nil ? nil : OtherProcesses(store: connection.file)
    }

    func begin(
        _ task: PruneTask, accessPath: AccessPath?, tellsRows: Bool
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath, rows: RowsFingerprint?) {
        try appLock?.check()
        let (path, terms, lockTime, progress, leases) = (
            path, terms, lockTime, connection.progress, leases
        )
        let archiving = task.rule.archiveKeep == nil ? nil : archiving
        let operation = RuleWork.countExpired.of(task.rule.table)
        let pieces = pieces(of: task.rule)
        let deletion = try connection.perform(operation, of: task.rule) { db in
            func prepared() throws -> Deletion {
                try Deletion(
                    task: task, accessPath: accessPath, path: path, gate: terms.gate, rules: terms.rules,
                    leases: leases, archiving: archiving, tellsRows: tellsRows, pieces: pieces, in: db)
            }
            guard pieces == nil else { return try prepared() }
            return try db.inSnapshot {
                let deletion = try prepared()
                try deletion.checkKinds(in: db)
                if deletion.census.expired > 0 {
                    try deletion.checkScans(lockTime, progress, in: db)
                    try deletion.checkMark(in: db)
                    try deletion.checkReferences(in: db)
                }
                return deletion
            }
        }
        // Values that cannot be compared may hide rows from a condition that reads another table.
        if pieces != nil, deletion.census.expired > 0 || deletion.readsOthers { try checkWithoutLocks(task) }
        if deletion.census.expired > 0 { try archiving?.open() }
        self.deletion = deletion
        return (deletion.census, deletion.accessPath, deletion.expiredRows)
    }

    /// How a rule's rows are counted if nobody could commit meanwhile; nil in WAL mode, where counting blocks nobody.
    private func pieces(of rule: RetentionRule) -> CensusInPieces? {
        guard log == nil else { return nil }
        return CensusInPieces(
            control: control, appLock: appLock, progress: connection.progress, lockTime: lockTime,
            isQuiet: rule.isQuiet)
    }

    /// Runs the checks that read whole tables, without locks. If the app's writes make a check fail, it is repeated
    /// with locks.
    private func checkWithoutLocks(_ task: PruneTask) throws(StoreError) {
        let view = try SQLiteView(
            path: path, control: control, terms: terms, archive: archive, lockTime: lockTime)
        defer { view.close() }
        try view.checkBeforeDeletion(by: task)
    }

    func deleteBatch(rows: Int) throws(StoreError) -> BatchResult {
        guard let deletion else {
            throw StoreError(
                .other, operation: "delete a batch", place: path, cause: "no task was begun")
        }
        return try change(RuleWork.deleteExpired.of(deletion.task.rule.table), of: deletion.task.rule) {
            db in
            guard let slice = try deletion.nextSlice(rows: rows, in: db) else { return nothingYet }
            let (deleted, written) = try delete(slice, rows: rows, of: deletion, in: db)
            deletion.pass(slice, deleted)
            return BatchResult(
                deleted: deleted.rows, fingerprint: deleted.fingerprint,
                work: work(
                    written, visited: rows, changed: deleted.rows, dependents: deleted.dependents,
                    isLast: deleted.isLast))
        }
    }

    func shortfall() throws(StoreError) -> StoreError? {
        guard let deletion else { return nil }
        let pieces = pieces(of: deletion.task.rule)
        return try connection.perform("look for rows that stayed", of: deletion.task.rule) { db in
            try deletion.shortfall(pieces: pieces, in: db)
        }
    }

    func failureOfSlowRows(_ count: Int) throws(StoreError) -> StoreError {
        let (deletion, lockTime) = (deletion, lockTime)
        return try connection.perform("find the cause of slow rows", of: deletion?.task.rule) { [path] db in
            let cause =
                "\(count) rows in a row, each alone in its batch, took more processor time than the"
                + " \(Int(lockTime.usual / .milliseconds(1))) ms of `lock_time`"
            return try deletion?.failure(cause, in: db)
                ?? StoreError(.tooSlow, operation: "delete a row", place: path, cause: cause)
        }
    }

    private func delete(
        _ slice: ChosenSlice, rows: Int, of deletion: Deletion, in db: Database
    ) throws -> (DeletedRows, Written) {
        if !isAlone || isQuiet { try deletion.prepare(slice, in: db) }
        do {
            let deleted = try write(to: db, for: deletion.work) {
                try deletion.delete(slice, version: $0, in: db)
            }
            archiving?.pass()
            return deleted
        } catch {
            archiving?.fail(with: error)
            guard rows == 1, let error = error as? LockWatch.Exceeded else { throw error }
            throw try deletion.failure(error.cause, in: db)
        }
    }

    /// The result after many rows without an expired one. No lock was taken.
    private var nothingYet: BatchResult {
        BatchResult(deleted: 0, work: work((.zero, .zero, .zero), visited: 0, changed: 0, isLast: false))
    }

    /// The work of one transaction.
    func work(
        _ written: Written, visited: Int, changed: Int64, dependents: Int64 = 0, isLast: Bool
    ) -> BatchWork {
        BatchWork(
            visited: visited, changed: changed, dependents: dependents, lockTime: written.lockTime,
            commit: written.commit, effort: written.effort,
            isAlone: isAlone, isLast: isLast)
    }

    func reclaim(units: Int, within limit: Duration) throws(StoreError) -> ReclaimStep {
        try change("give free pages back") { db in
            let (given, written) = try write(to: db) { _ in
                try FreePages.giveBack(units, within: limit, in: db, monotonic: monotonic)
            }
            return try ReclaimStep(
                bytes: given.pages * FreePages.pageBytes(in: db),
                work: work(written, visited: units, changed: given.pages, isLast: given.isLast))
        }
    }

    func finishReclaim() throws(StoreError) {
        guard let log else { return }
        try connection.perform("truncate the file") { try log.cutFile(of: $0) }
    }

    /// How long a transaction had the lock, how much of that the commit took, and the processor time before that.
    typealias Written = (lockTime: Duration, commit: Duration, effort: Duration)

    /// Runs `body` in a write transaction, and passes it the data version. `work` is what is done, if that may run the
    /// app's code.
    ///
    /// Throws ``LockWatch/Exceeded`` if the statements took longer than ``LockTime/longest``.
    func write<Result>(
        to db: Database, for work: StoreWork? = nil, _ body: (Int64) throws -> Result
    ) throws -> (result: Result, written: Written) {
        let watch = LockWatch(lockTime, control, work)
        return try connection.progress.watched(by: watch, db) {
            try db.beginImmediate()
            let (granted, processor) = (monotonic(), ThreadTime.ofThisThread())
            watch.start()
            do {
                let version = try db.dataVersion()
                let result = try body(version)
                watch.stop()
                let (worked, effort) = (monotonic() - granted, processor())
                try db.commit()
                (dataVersion, commits) = (version, LogIndex(of: db)?.commits)
                let lockTime = monotonic() - granted
                return (result, (lockTime, lockTime - worked, effort))
            } catch {
                watch.stop()
                db.rollback()
                throw watch.meaning(of: error)
            }
        }
    }

    /// Whether an app that does not wait for locks may come at any time.
    private var isQuiet: Bool { deletion?.task.rule.isQuiet ?? false }

    /// Whether no other process has the store open. False if that cannot be known.
    var isAlone: Bool { others.map { !$0.arePresent } ?? false }

    /// Runs `body`, unless the app has replaced the file that is open, or keeps the store to itself.
    func change<Result>(
        _ operation: String, of rule: RetentionRule? = nil, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        guard FileFacts(at: path)?.identity == connection.identity else {
            throw StoreError(
                .replaced, operation: operation, place: path,
                cause: "another file replaced it during the run", hint: "the next run opens the new file")
        }
        try appLock?.check()
        return try connection.perform(operation, of: rule, body)
    }

    func othersCommits() throws(StoreError) -> Int {
        try appLock?.check()
        return try connection.perform("look for others' changes", of: deletion?.task.rule) { db in
            guard try db.dataVersion() != dataVersion else { return 0 }
            guard let commits, let now = LogIndex(of: db)?.commits else { return 1 }
            return max(1, Int(now &- commits))
        }
    }

    func maintain() throws(StoreError) {
        try appLock?.check()
        try archiving?.maintain()
        try followLog()
        guard let log else { return }
        try connection.perform("checkpoint", of: deletion?.task.rule) {
            try log.maintain($0, isAlone: isAlone && !isQuiet)
        }
    }

    func close() {
        archiving?.close { (try? followLog()) != nil && log?.sync() ?? true }
        if let log {
            // Nothing is lost if this fails: the log stays as it is.
            try? log.finish(connection.database, isAlone: isAlone)
        }
        connection.close()
    }
}
