/// Being told of changes.
extension ViewContext {
    /// What changes in the store from now on, whoever changes it: a background context, another process, or this context
    /// itself. Ends when the store is closed.
    ///
    /// Nothing is polled: the kernel tells when the store's files are written. Changes that follow each other closely come
    /// as one.
    public func changes() throws -> AsyncStream<StoreChange> {
        let observation = try observation.withLock { current in
            let observation = try current ?? StoreObservation(connection)
            current = observation
            return observation
        }
        return observation.changes()
    }

    /// Tells those who listen of a deletion at once, with the ids if it has them.
    public func merge(_ result: BatchDeleteResult) {
        observation.withLock { $0 }?.merge(result.ids.map { [result.table: $0] } ?? [:])
    }
}
