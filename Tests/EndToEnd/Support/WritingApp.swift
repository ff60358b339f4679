import TestSupport
import Foundation

/// An app that writes to a store in a process of its own, and knows which of its transactions were committed.
///
/// Each transaction inserts rows that are fresh and refreshes a row that has expired, if that is still there.
final class WritingApp {
    let state: StateDirectory
    private let process: RunningProgram
    private let expiredIDs: [String]
    private var transactions = 0
    private var answers: [Substring] = []

    /// Keys of its own begin here.
    static let firstKey = 1_000_000_000
    /// The rows that a transaction inserts: a feed, its article and an item.
    private static let rowsPerTransaction = 3

    init(on state: StateDirectory, refreshing expiredIDs: [String]) throws {
        self.state = state
        self.expiredIDs = expiredIDs
        process = try state.store.program.start(feeds: true)
        try process.feed("PRAGMA foreign_keys = ON;\n")
    }

    /// Writes every other millisecond until `run` has ended or `limit` has passed; the time that took.
    @discardableResult
    func write(beside run: RunningProgram, for limit: Duration) throws -> Duration {
        let start = ContinuousClock.now
        while run.isRunning, ContinuousClock.now - start < limit {
            try write(transactions: 1)
            usleep(2_000)
        }
        return ContinuousClock.now - start
    }

    func write(transactions count: Int) throws {
        for _ in 0..<count {
            let key = Self.firstKey + transactions
            let id = expiredIDs[transactions % expiredIDs.count]
            try process.feed(
                """
                BEGIN IMMEDIATE;
                INSERT INTO feed VALUES (\(key), unixepoch(), unixepoch() + 1800);
                INSERT INTO article VALUES (\(key), 0, 'title', 'url');
                INSERT INTO item VALUES (\(key), unixepoch());
                UPDATE read_record SET created_at = unixepoch() WHERE id = '\(id)';
                COMMIT;
                SELECT \(key), '\(id)', changes();

                """)
            transactions += 1
        }
    }

    /// Ends the app after its last transaction. Throws when one of them failed.
    func close() throws {
        answers = try process.wait().checked().output.split(separator: "\n")
    }

    /// The keys whose insertion was acknowledged.
    var committedKeys: [Substring] { answers.compactMap { $0.split(separator: "|").first } }
    /// The ids whose refreshment was acknowledged.
    var refreshedIDs: [Substring] {
        answers.filter { $0.hasSuffix("|1") }.map { answer in answer.split(separator: "|")[1] }
    }
    /// The rows that it has added to the store.
    var insertedRows: Int { answers.count * Self.rowsPerTransaction }
}
