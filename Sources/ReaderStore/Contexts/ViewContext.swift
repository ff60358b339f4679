import Synchronization

/// The app's main context: it reads, makes the app's own small changes, and reports changes by others.
///
/// It may be called from any thread; its transactions are executed one after the other. A call returns when its
/// transaction has ended. A write may wait for another process to release the lock, which takes a few milliseconds
/// beside the service.
public final class ViewContext: Sendable {
    let connection: Connection
    let observing = Mutex(Observing())

    init(_ connection: Connection) { self.connection = connection }

    /// Calls `body` in a read-only transaction. It sees one state of the store, whatever others write meanwhile.
    ///
    /// Throws what `body` throws, and ``ReaderStoreError``. Calling this context again in `body` is an error.
    public func read<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try connection.read(body)
    }

    /// Calls `body` in a transaction. It is committed when `body` returns, and rolled back when `body` throws.
    ///
    /// Throws what `body` throws, and ``ReaderStoreError``. Calling this context again in `body` is an error.
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
