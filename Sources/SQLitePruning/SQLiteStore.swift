import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// A SQLite file, of whatever app, as a store that can be pruned.
///
/// Nothing is opened but for the length of a context, so that an app may move or replace its file between runs.
package struct SQLiteStore: PrunableStore {
    /// The store as the policy names it.
    package let definition: StoreDefinition
    let path: String
    private let holder: String
    let archive: SQLiteArchive?
    /// Whether it is the archive. What a killed process left unfinished there is finished here; what an app left is its
    /// own to recover.
    var isArchive = false
    let lockTime: LockTime
    let monotonic: @Sendable () -> Duration

    /// The store in the file at `path`, an absolute path. `holder` tells other processes who prunes it; `archive`
    /// holds what rules that archive delete; `lockTime` is that of the batches, and `monotonic` times them.
    package init(
        _ definition: StoreDefinition, path: String, holder: String, archive: SQLiteArchive? = nil,
        lockTime: LockTime = LockTime(), monotonic: @escaping @Sendable () -> Duration
    ) {
        precondition(path.hasPrefix("/"), "a relative path could be read as a URI")
        self.definition = definition
        self.path = path
        self.holder = holder
        self.archive = archive
        self.lockTime = lockTime
        self.monotonic = monotonic
    }

    /// See ``PrunableStore``.
    package func exists() -> Bool {
        // What cannot be looked at may well exist, and opening it says why.
        FileFacts(at: path) != nil || (errno != ENOENT && errno != ENOTDIR)
    }

    /// See ``PrunableStore``.
    package func diskBytes() -> Int64? { FileFacts(at: path)?.size }

    /// See ``PrunableStore``.
    package func checkAccess() throws(StoreError) {
        _ = try StoreFile(path: path).checkWritable()
    }

    /// See ``PrunableStore``.
    package func claim() throws(StoreError) -> any StoreClaim {
        let file = try StoreFile(path: path)
        try file.checkWritable()
        let lock = try RunLock.acquire(beside: file, holder: holder)
        do {
            try rollBackUnfinished(file)
        } catch {
            lock.release()
            throw error
        }
        return lock
    }

    /// See ``PrunableStore``.
    package func claimHolder() -> String? {
        (try? StoreFile(path: path)).flatMap(RunLock.holder)
    }

    /// A transaction that a killed process, ours or the app's, left in a rollback journal. Whoever opens the store to
    /// write rolls it back; the view context may not, and could not read the store.
    private func rollBackUnfinished(_ file: StoreFile) throws(StoreError) {
        guard isArchive || file.directory.facts(file.name + "-journal") != nil else { return }
        let control = RunControl(monotonic: monotonic)
        let connection = try Connection(.write, path: path, control: control)
        defer { connection.close() }
        _ = try connection.perform("roll back an unfinished transaction") { [isArchive, path] db in
            if isArchive { try ArchiveSchema.prepare(db, path: path) }
            return try db.schemaVersion()
        }
    }

    /// See ``PrunableStore``.
    package func openView(_ control: RunControl) throws(StoreError) -> any ViewContext {
        try SQLiteView(path: path, control: control, archive: storeArchive, lockTime: lockTime)
    }

    /// See ``PrunableStore``.
    package func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext {
        try SQLiteWorker(
            path: path, control: control, archive: storeArchive, lockTime: lockTime,
            monotonic: monotonic)
    }

    private var storeArchive: StoreArchive? {
        archive.map { StoreArchive(archive: $0, store: definition.name) }
    }
}

extension SQLiteArchive {
    /// The archive as a store whose own rows are pruned.
    package func store(holder: String, monotonic: @escaping @Sendable () -> Duration) -> SQLiteStore {
        let definition = StoreDefinition(name: ArchivePruning.name, path: path)
        var store = SQLiteStore(definition, path: path, holder: holder, monotonic: monotonic)
        store.isArchive = true
        return store
    }
}
