import CSQLite

extension Database {
    /// Writes the log into the database as far as readers allow, keeping nobody waiting; see ``LogReset``. What became of
    /// the log; nil where it has none, or is being written to just then.
    ///
    /// What comes while it works is written as well: only a commit that finds all of the log in the database starts it anew.
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
