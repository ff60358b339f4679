import Foundation
import GRDB
import Pruning
import Retention

/// A SQLite file, of whatever app, as a store that can be pruned.
///
/// Nothing is opened but for the length of a context, so that an app may move or replace its file between runs.
public struct SQLiteStore: PrunableStore {
    /// The store as the policy names it, its path absolute.
    public let definition: StoreDefinition
    private let holder: String
    private let monotonic: @Sendable () -> Duration

    /// The store at `definition.path`, an absolute path. `holder` tells other processes who prunes it; `monotonic`
    /// times the batches.
    public init(
        _ definition: StoreDefinition, holder: String, monotonic: @escaping @Sendable () -> Duration
    ) {
        precondition(definition.path.hasPrefix("/"), "a relative path could be read as a URI")
        self.definition = definition
        self.holder = holder
        self.monotonic = monotonic
    }

    /// See ``PrunableStore``.
    public func exists() -> Bool {
        FileFacts(at: definition.path) != nil
    }

    /// See ``PrunableStore``.
    public func checkAccess() throws(StoreError) {
        try StoreFile(path: definition.path).checkWritable()
    }

    /// See ``PrunableStore``.
    public func claim() throws(StoreError) -> any StoreClaim {
        try checkAccess()
        let lock = try RunLock.acquire(store: definition.path, holder: holder)
        try rollBackInterruptedTransaction()
        return lock
    }

    /// Lets SQLite undo what a killed writer left in a rollback journal: contexts that only read cannot, and would
    /// refuse the store until somebody does. Without a journal, or with that of a writer at work, nothing happens.
    private func rollBackInterruptedTransaction() throws(StoreError) {
        guard FileFacts(at: definition.path + "-journal") != nil else { return }
        let connection = try Connection(
            .write, path: definition.path, control: RunControl(monotonic: monotonic))
        defer { connection.close() }
        _ = try connection.perform("roll back an interrupted transaction") { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
        }
    }

    /// See ``PrunableStore``.
    public func openView(_ control: RunControl) throws(StoreError) -> any ViewContext {
        try StoreFile(path: definition.path).checkReadable()
        return try SQLiteView(path: definition.path, control: control)
    }

    /// See ``PrunableStore``.
    public func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext {
        try checkAccess()
        return try SQLiteWorker(path: definition.path, control: control, monotonic: monotonic)
    }
}
