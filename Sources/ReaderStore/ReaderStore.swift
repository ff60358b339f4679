import DefaultStore
import Foundation
import GRDB

/// The reading app's store: one SQLite database that the app and the service write side by side.
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

    /// Opens the store at `path`, an absolute path in an existing directory; makes it when missing, and brings one of
    /// an older version to this one. `now` says what time it is.
    public init(at path: String, now: @escaping @Sendable () -> Date = { Date() }) throws(ReaderStoreError) {
        self.path = path
        self.now = now
        viewContext = ViewContext(try Connection(at: path, now: now))
    }

    /// The store in a state directory, which is made when missing; a relative path is one from the current directory.
    public convenience init(
        stateDirectory: String, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(ReaderStoreError) {
        guard stateDirectory.isStorable else { throw .noPath(stateDirectory) }
        let directory = try StateDirectory.absolute(stateDirectory)
        try StateDirectory.createIfMissing(at: directory)
        try self.init(at: directory + "/" + Self.fileName, now: now)
    }

    /// A context of its own, whose work does not keep the view context waiting.
    public func newBackgroundContext() throws(ReaderStoreError) -> BackgroundContext {
        BackgroundContext(try Connection(at: path, now: now))
    }

    /// Closes the view context, when its transaction is over if one is going on, and ends what
    /// ``ViewContext/changes()`` gave; both throw ``ReaderStoreError/Kind-swift.enum/misuse`` from then on. Background
    /// contexts go on, and close when they are released. Closing again does nothing.
    public func close() throws(ReaderStoreError) { try viewContext.close() }
}

extension ReaderStore {
    /// The database's name in the state directory.
    public static let fileName = StoreCreation.fileName
    /// How long a connection waits for a lock before it reports the store as busy.
    public static let patience = StoreCreation.patience

    /// Makes sure that there is a store at `path`, an absolute path in an existing directory.
    ///
    /// Safe against others who do the same at the same time, and against its own death at any instant: whoever
    /// comes next goes on. In a setgid directory the file gets mode 0660, so that the directory's group shares it;
    /// elsewhere it is its owner's alone (0600). What root makes belongs to the directory's owner.
    ///
    /// A database of another program and a store of a newer version are left alone, and reported.
    public static func createIfMissing(at path: String) throws(ReaderStoreError) {
        guard path.isStorable else { throw .noPath(path) }
        try StoreCreation.createIfMissing(at: path)
    }

    /// Opens the store for reading and writing, after ``createIfMissing(at:)``'s rules.
    ///
    /// The connection checks foreign keys and waits for locks up to ``patience``. It checkpoints only when the
    /// log has grown past 4000 pages: that is the service's work, and this the backstop for where none runs.
    package static func open(at path: String) throws(ReaderStoreError) -> DatabaseQueue {
        try StoreOpening.open(at: path)
    }
}
