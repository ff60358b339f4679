import DefaultStore
import Foundation
import GRDB

/// The reading app's store: one SQLite database, to which the app and the service write concurrently.
///
/// ```swift
/// let store = try ReaderStore(stateDirectory: directory)
/// let unread = try store.viewContext.read { try $0.unread() }
/// let left = try store.viewContext.write { try $0.markRead(42) }
/// let request = BatchDelete(.item, where: .before(date))
/// let gone = try await store.newBackgroundContext().perform { try $0.execute(request) }
/// ```
public final class ReaderStore: Sendable {
    /// The store's path.
    public let path: String
    /// The app's main context: it reads, and makes the app's own small changes.
    public let viewContext: ViewContext
    let now: @Sendable () -> Date

    /// Opens the store at `path`, which must be absolute and in an existing directory. Creates a missing store, and
    /// migrates one of an older version. `now` returns the current time; an app has no reason to pass another clock than
    /// the default, and a test has.
    public init(at path: String, now: @escaping @Sendable () -> Date = { Date() }) throws(ReaderStoreError) {
        self.path = path
        self.now = now
        viewContext = ViewContext(try Connection(at: path, now: now))
    }

    /// Opens the store in a state directory, which is created when missing. A relative path starts at the current
    /// directory.
    public convenience init(
        stateDirectory: String, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(ReaderStoreError) {
        guard stateDirectory.isStorable else { throw .noPath(stateDirectory) }
        let directory = try StateDirectory.absolute(stateDirectory)
        try StateDirectory.createIfMissing(at: directory)
        try self.init(at: StateDirectory.store(in: directory), now: now)
    }

    /// A new context, whose work does not block the view context.
    public func newBackgroundContext() throws(ReaderStoreError) -> BackgroundContext {
        BackgroundContext(try Connection(at: path, now: now))
    }

    /// Closes the view context, after a transaction in progress, and ends the streams of ``ViewContext/changes()``.
    /// Calls of both then throw ``ReaderStoreError/Kind-swift.enum/misuse``. Background contexts stay usable, and close
    /// when they are released. Closing again does nothing.
    public func close() throws(ReaderStoreError) { try viewContext.close() }
}

extension ReaderStore {
    /// How long a connection waits for a lock before it reports the store as busy.
    public static let patience = StoreCreation.patience

    /// Creates a store at `path` if there is none. `path` must be absolute and in an existing directory.
    ///
    /// It is safe if others do the same at the same time, and if the process is killed at any instant: the next one
    /// continues. In a setgid directory the file gets mode 0660, so that the directory's group shares it. Elsewhere
    /// only its owner has access (0600). A file created by root belongs to the directory's owner.
    ///
    /// A database of another program and a store of a newer version are not changed, but reported as errors.
    public static func createIfMissing(at path: String) throws(ReaderStoreError) {
        guard path.isStorable else { throw .noPath(path) }
        try StoreCreation.createIfMissing(at: path)
    }

    /// Opens the store for reading and writing, after ``createIfMissing(at:)``.
    ///
    /// The connection checks foreign keys, and waits for locks up to ``patience``. It checkpoints only when the log has
    /// more than 4000 pages. Checkpoints are the service's work, and this is for stores without a service.
    package static func open(at path: String) throws(ReaderStoreError) -> DatabaseQueue {
        try StoreOpening.open(at: path)
    }
}
