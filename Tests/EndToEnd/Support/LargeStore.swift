import Foundation

/// A store large enough that a run on it can be caught in the middle: made once, copied for each test.
enum LargeStore {
    static let records = 1_000_000
    /// Counts what a run would delete of it.
    static let expired = """
        SELECT (SELECT count(*) FROM read_record WHERE created_at < unixepoch('now', '-30 days'))
             + (SELECT count(*) FROM tweet WHERE created_at < unixepoch('now', '-30 days'))
             + (SELECT count(*) FROM item WHERE timestamp < unixepoch('now', '-183 days'))
             + (SELECT count(*) FROM feed WHERE expires_at < unixepoch('now'))
        """
    /// Counts what it would keep.
    static let unexpired = """
        SELECT (SELECT count(*) FROM read_record) + (SELECT count(*) FROM tweet) + (SELECT count(*) FROM item)
             + (SELECT count(*) FROM feed) - (\(expired))
        """

    private static let template = Result {
        // A static value outlives every deinit.
        atexit { LargeStore.discard() }
        return try StateDirectory.sampled(records: records)
    }

    private static func discard() {
        if let path = try? template.get().sandbox.path { try? FileManager.default.removeItem(atPath: path) }
    }

    static func copy() throws -> StateDirectory {
        try template.get().copied()
    }
}
