import CCampaign
import Foundation
import TestSupport

/// The app: transactions at random, each recorded once it is committed.
struct PowerApp {
    private let disk: RecordedDisk
    private let now: Int64
    private var generator: SeededGenerator
    private var number = 0

    init(on disk: RecordedDisk, at now: Int64, by generator: SeededGenerator) {
        (self.disk, self.now, self.generator) = (disk, now, generator)
    }

    /// Does up to so many transactions on the store, or until `isOver`.
    mutating func work(on store: StoreFile, atMost count: Int, until isOver: () -> Bool = { false }) throws {
        for _ in 0..<count where !isOver() {
            try transact(on: store)
            writeBack()
            usleep(UInt32.random(in: 0...6000, using: &generator))
        }
    }

    private mutating func transact(on store: StoreFile) throws {
        number += 1
        let change = Transaction.Change.allCases.randomElement(using: &generator) ?? .insert
        let wanted = Int64.random(in: 1...PowerModel.oldRows, using: &generator)
        try store.execute("BEGIN IMMEDIATE; INSERT INTO acked VALUES (\(number))")
        let row: Int64?
        switch change {
        case .insert, .bring:
            row = nil
            for new in PowerModel.rows(of: Transaction(number: number, change: change, row: nil)) {
                let time = change == .insert ? now : PowerModel.time(ofOld: new)
                try store.execute("INSERT INTO item VALUES (\(new), \(time), '\(PowerModel.text(of: new))')")
            }
        case .refresh:
            row = try store.integers(
                """
                UPDATE item SET at = \(now), body = '\(PowerModel.refreshed(by: number))'
                WHERE id = \(wanted) AND at < \(now) RETURNING id
                """
            ).first
        case .delete:
            row = try store.integers("DELETE FROM item WHERE id = \(wanted) AND at < \(now) RETURNING id")
                .first
        }
        try store.execute("COMMIT")
        try disk.record(.committed(Transaction(number: number, change: change, row: row)))
    }

    /// The kernel may write any page of a file at any time, in any order, and flush nothing. Here it does so often.
    private mutating func writeBack() {
        guard Int.random(in: 0..<3, using: &generator) == 0 else { return }
        // Not the store itself: to close it here would drop the locks that SQLite has on it in this process.
        let files = [
            PowerStore.path + "-wal", PowerStore.path + "-journal", PowerStore.archive,
            PowerStore.archive + "-wal",
            PowerStore.ledger, PowerStore.ledger + "-journal",
        ]
        for file in files where Bool.random(using: &generator) { campaign_write_back(file) }
    }
}
