import CSQLite

extension Database {
    /// Writes the log into the database as far as readers allow, without blocking anybody; see ``LogReset``. Returns
    /// the state of the log afterwards; nil if there is no log, or if its index is just being changed.
    ///
    /// Frames that are added meanwhile are written, too: a commit restarts the log only if all of it is in the
    /// database.
    package func checkpoint() throws -> LogIndex? {
        guard try isWAL(), var index = LogIndex(of: self) else { return nil }
        for _ in 0..<Self.mostCheckpoints {
            if index.isBackfilled { break }
            try logReset().withoutReset { try execute("PRAGMA wal_checkpoint(PASSIVE)") }
            let before = index
            guard let now = LogIndex(of: self) else { return nil }
            index = now
            if (index.generation, index.backfilled) == (before.generation, before.backfilled) { break }
        }
        return index
    }

    private static let mostCheckpoints = 5
}
