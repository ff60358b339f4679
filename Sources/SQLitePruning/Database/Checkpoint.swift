import GRDBSQLite

extension Database {
    /// Writes the log into the database as far as readers allow, keeping nobody waiting; see ``LogReset``. What became of
    /// the log.
    ///
    /// Nothing that comes while it works is left: only a commit that finds all of the log in the database starts it anew.
    func checkpoint() throws -> LogIndex? {
        guard var index = LogIndex(of: self) else { return nil }
        for _ in 0..<Self.mostCheckpoints where !index.isBackfilled {
            let before = index
            try logReset().kept {
                // All of it may be there by now, and then the lock that is kept is another.
                guard LogIndex(of: self)?.isBackfilled == false else { return }
                try execute("PRAGMA wal_checkpoint(PASSIVE)")
            }
            index = LogIndex(of: self) ?? index
            if index.generation == before.generation, index.backfilled == before.backfilled { break }
        }
        return index
    }

    private static let mostCheckpoints = 5
}
