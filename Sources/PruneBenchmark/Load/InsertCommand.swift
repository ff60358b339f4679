import ArgumentParser
import Foundation
import GRDB
import ReaderStore

/// The app that writes: a read record every few milliseconds, each a transaction of its own, until its input ends.
/// Then it prints when each began and how long it took.
struct InsertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "insert", shouldDisplay: false)

    @Option var path: String
    @Option var periodMilliseconds: Int64 = 3

    func run() throws {
        let store = try ReaderStore.open(at: path)
        let inserts = try store.writeWithoutTransaction(insert)
        try store.close()
        print(inserts.map(\.line).joined(separator: "\n"))
    }

    private func insert(_ db: Database) throws -> [Insert] {
        let statement = try db.makeStatement(sql: "INSERT INTO read_record (id, created_at) VALUES (?, ?)")
        var inserts: [Insert] = []
        var due = MonotonicClock.nanoseconds
        try StandardInput.sayReady()
        while !StandardInput.hasEnded() {
            MonotonicClock.sleep(until: due)
            let milliseconds = Int64(Date().timeIntervalSince1970 * 1_000)
            let id = String(RecordIDs.snowflake(inserts.count, at: milliseconds))
            let start = MonotonicClock.nanoseconds
            var isRefused = false
            do {
                try statement.execute(arguments: [id, milliseconds / 1_000])
            } catch DatabaseError.SQLITE_BUSY {
                isRefused = true
            }
            let end = MonotonicClock.nanoseconds
            inserts.append(Insert(start: start, nanoseconds: end - start, isRefused: isRefused))
            // What was missed in a long wait is left out: a person does not read faster after it.
            let period = periodMilliseconds * 1_000_000
            due += max(1, (end - due + period - 1) / period) * period
        }
        return inserts
    }
}
