import Archive
import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// Any app's SQLite file as a store that can be pruned.
///
/// The file is open only while a context is open, so that its app may move or replace it between runs.
package struct SQLiteStore: PrunableStore {
    /// The store as the policy names it.
    package let definition: StoreDefinition
    let path: String
    private let holder: String
    let archive: (any RowArchive)?
    /// Whether this store is the archive. Then ``claim()`` also finishes a file whose creation was interrupted by a
    /// kill. In other stores it only rolls back a transaction that a rollback journal has.
    var isArchive = false
    private let rules: [RetentionRule]
    let lockTime: LockTime
    let monotonic: @Sendable () -> Duration

    /// The store in the file at `path`, which must be absolute. `holder` tells other processes who prunes the store.
    /// `archive` receives the rows that rules with `archive = true` delete. `rules` are all of the policy on this store.
    /// `lockTime` limits the batches, and `monotonic` measures them.
    package init(
        _ definition: StoreDefinition, path: String, holder: String, archive: (any RowArchive)? = nil,
        rules: [RetentionRule] = [], lockTime: LockTime = LockTime(),
        monotonic: @escaping @Sendable () -> Duration
    ) {
        precondition(path.hasPrefix("/"), "a relative path could be read as a URI")
        self.definition = definition
        self.path = path
        self.holder = holder
        self.archive = archive
        self.rules = rules
        self.lockTime = lockTime
        self.monotonic = monotonic
    }

    /// See ``PrunableStore``.
    package func exists() -> Bool {
        // A file that cannot be examined may exist; opening it reports the cause.
        FileFacts(at: path) != nil || (errno != ENOENT && errno != ENOTDIR)
    }

    /// See ``PrunableStore``.
    package func diskBytes() -> Int64? { FileFacts(at: path)?.size }

    /// See ``PrunableStore``.
    package func checkAccess() throws(StoreError) {
        _ = try StoreFile(path: path).checkWritable()
    }

    /// See ``PrunableStore``.
    package func claim(_ control: RunControl) throws(StoreError) -> any StoreClaim {
        let file = try StoreFile(path: path)
        try definition.appTerms.lock(beside: file)?.check()
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

    /// Rolls back a transaction that a killed process (pruned or the app) left in a rollback journal. The view context
    /// may not write, and could not read the store before this.
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
        try SQLiteView(
            path: path, control: control, terms: terms, archive: storeArchive,
            lockTime: lockTime)
    }

    /// See ``PrunableStore``.
    package func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext {
        try SQLiteWorker(
            path: path, control: control, terms: terms, archive: storeArchive,
            lockTime: lockTime,
            monotonic: monotonic)
    }

    var terms: AppTerms {
        var terms = definition.appTerms
        terms.rules = rules
        return terms
    }

    private var storeArchive: StoreArchive? {
        archive.map { StoreArchive(archive: $0, store: definition.name) }
    }
}

extension ArchiveFile {
    /// The archive as a store, so that its own rows can be pruned.
    package func store(holder: String, monotonic: @escaping @Sendable () -> Duration) -> SQLiteStore {
        let definition = StoreDefinition(name: ArchivePruning.name, path: path)
        var store = SQLiteStore(definition, path: path, holder: holder, monotonic: monotonic)
        store.isArchive = true
        return store
    }
}
