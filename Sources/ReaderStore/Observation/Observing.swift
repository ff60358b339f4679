/// Observing changes.
extension ViewContext {
    /// The observation that all listeners share. They own it: it ends with the last of them.
    struct Observing {
        weak var observation: StoreObservation?
        var hasEnded = false
    }

    /// A stream of the changes in the store from now on, whether a background context, another process or this context
    /// itself made them. It ends when the store is closed, or is no longer at its path.
    ///
    /// The kernel reports writes to the store's files. The store is read only then, and for a few seconds after.
    /// Changes in quick succession are merged into one, and so are changes that the listener has not taken yet. Throws
    /// ``ReaderStoreError``.
    public func changes() throws(ReaderStoreError) -> AsyncStream<StoreChange> {
        // The observation must not be released between being found and being listened to.
        let observation = try observing.withLock { observing throws(ReaderStoreError) in
            if observing.hasEnded { throw ReaderStoreError.closed("watch", path: connection.path) }
            if let observation = observing.observation { return observation }
            let observation = try StoreObservation(connection.another())
            observing.observation = observation
            return observation
        }
        return observation.changes()
    }

    /// Reports a deletion to the listeners at once, with the ids if `result` has them. A deletion of no rows is not
    /// reported.
    public func merge(_ result: BatchDeleteResult) {
        let observation = observing.withLock { $0.observation }
        observation?.merge(result.ids.map { [result.table: $0] } ?? [:])
    }
}
