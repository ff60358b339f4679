/// Being told of changes.
extension ViewContext {
    /// The observation that all listeners share. They keep it: it goes with the last of them.
    struct Observing {
        weak var observation: StoreObservation?
        var hasEnded = false
    }

    /// What changes in the store from now on, whoever changes it: a background context, another process, or this
    /// context itself. Ends when the store is closed, or is no
    /// longer at its path.
    ///
    /// The kernel tells when the store's files are written; nothing is looked at while they are not, but for a few
    /// seconds after. Changes that follow each other closely come as
    /// one, and so do those that nobody has taken yet. Throws ``ReaderStoreError``.
    public func changes() throws(ReaderStoreError) -> AsyncStream<StoreChange> {
        // The observation must not go between being found and being listened to.
        let observation = try observing.withLock { observing throws(ReaderStoreError) in
            if observing.hasEnded { throw ReaderStoreError.closed("watch", path: connection.path) }
            if let observation = observing.observation { return observation }
            let observation = try StoreObservation(connection.another())
            observing.observation = observation
            return observation
        }
        return observation.changes()
    }

    /// Tells those who listen of a deletion at once, with the ids if it has them. Of one that took nothing they are not
    /// told.
    public func merge(_ result: BatchDeleteResult) {
        let observation = observing.withLock { $0.observation }
        observation?.merge(result.ids.map { [result.table: $0] } ?? [:])
    }
}
