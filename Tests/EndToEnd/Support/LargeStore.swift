import Foundation

/// A store large enough that a run on it can be caught in the middle: made once, copied for each test.
enum LargeStore {
    static let records = 1_000_000
    /// Rows go on to expire while a test runs. What had expired at the first of these instants must go, and what expires
    /// after the second must stay.
    private static let start = Int(Date.now.timeIntervalSince1970)
    private static let end = start + 7_200
    /// Counts what a run must delete of it.
    static let expired = "SELECT \(expired(at: start))"
    /// Counts what it must keep.
    static let unexpired = "\(rows) - (\(expired(at: end)))"
    /// Counts all rows of its rules.
    static let rows = """
        SELECT (SELECT count(*) FROM read_record) + (SELECT count(*) FROM tweet) + (SELECT count(*) FROM item)
             + (SELECT count(*) FROM feed)
        """

    private static func expired(at now: Int) -> String {
        """
        (SELECT count(*) FROM read_record WHERE created_at < \(now - 30 * 86_400))
            + (SELECT count(*) FROM tweet WHERE created_at < \(now - 30 * 86_400))
            + (SELECT count(*) FROM item WHERE timestamp < \(now - 183 * 86_400))
            + (SELECT count(*) FROM feed WHERE expires_at < \(now))
        """
    }

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
