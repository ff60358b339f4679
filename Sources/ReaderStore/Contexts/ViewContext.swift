import Synchronization

/// The app's main context: it reads, makes the app's own small changes, and tells what others change.
///
/// It may be called from any thread; its transactions come one after the other. A call returns when its transaction is
/// over, which for a write may be as long as another process keeps the lock: a few milliseconds beside the service.
public final class ViewContext: Sendable {
    let connection: Connection
    let observing = Mutex(Observing())

    init(_ connection: Connection) { self.connection = connection }

    /// Calls `body` with one state of the store, whatever others write meanwhile; it cannot change anything.
    ///
    /// Throws what `body` throws, and ``ReaderStoreError``: in `body` this context cannot be asked again.
    public func read<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try connection.read(body)
    }

    /// Calls `body` in a transaction that is committed when it returns, and leaves nothing behind when it throws.
    ///
    /// Throws what `body` throws, and ``ReaderStoreError``: in `body` this context cannot be asked again.
    public func write<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try connection.write(body)
    }

    func close() throws(ReaderStoreError) {
        try connection.close()
        let observation = observing.withLock { observing in
            observing.hasEnded = true
            return observing.observation
        }
        observation?.cancel()
    }
}
