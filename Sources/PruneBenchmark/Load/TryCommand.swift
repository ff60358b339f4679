import ArgumentParser
import Foundation
import GRDB

/// The app without a busy timeout: a write every few milliseconds and a read halfway to the next, on one connection,
/// until its input ends. What is refused is not tried again. Then it prints when each began and how long it took.
struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "try", shouldDisplay: false)

    @Option var schema: StoreRecipe.Schema
    @Option var path: String
    @Option var periodMilliseconds: Int64 = 10

    func run() throws {
        let store = try schema.open(at: path)
        let calls = try store.writeWithoutTransaction(call)
        try store.close()
        print(calls.map(\.line).joined(separator: "\n"))
    }

    private func call(_ db: Database) throws -> [Call] {
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        let insert = try db.makeStatement(sql: "INSERT INTO read_record (id, created_at) VALUES (?, ?)")
        let newest = try db.makeStatement(sql: "SELECT id FROM read_record ORDER BY created_at DESC LIMIT 20")
        var calls: [Call] = []
        var pace = Pace(milliseconds: periodMilliseconds / 2)
        try StandardInput.sayReady()
        while !StandardInput.hasEnded() {
            pace.wait()
            let isRead = !calls.count.isMultiple(of: 2)
            let milliseconds = Int64(Date().timeIntervalSince1970 * 1_000)
            let id = String(RecordIDs.snowflake(calls.count, at: milliseconds))
            let start = MonotonicClock.nanoseconds
            var isRefused = false
            do {
                if isRead {
                    _ = try String.fetchAll(newest)
                } else {
                    try db.inTransaction(.immediate) {
                        try insert.execute(arguments: [id, milliseconds / 1_000])
                        return .commit
                    }
                }
            } catch DatabaseError.SQLITE_BUSY {
                isRefused = true
            }
            let end = MonotonicClock.nanoseconds
            calls.append(
                Call(start: start, nanoseconds: end - start, isRefused: isRefused, isRead: isRead))
            pace.advance(past: end)
        }
        return calls
    }
}
