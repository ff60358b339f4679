import ArgumentParser
import Foundation
import GRDB

/// The app that writes: a read record every few milliseconds, each a transaction of its own, until its input ends.
/// Then it prints when each began and how long it took.
struct InsertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "insert", shouldDisplay: false)

    @Option var schema: StoreRecipe.Schema
    @Option var path: String
    @Option var periodMilliseconds: Int64 = 3

    func run() throws {
        let store = try schema.open(at: path)
        let calls = try store.writeWithoutTransaction(insert)
        try store.close()
        print(calls.map(\.line).joined(separator: "\n"))
    }

    private func insert(_ db: Database) throws -> [Call] {
        let statement = try db.makeStatement(sql: "INSERT INTO read_record (id, created_at) VALUES (?, ?)")
        var calls: [Call] = []
        var pace = Pace(milliseconds: periodMilliseconds)
        try StandardInput.sayReady()
        while !StandardInput.hasEnded() {
            pace.wait()
            let milliseconds = Int64(Date().timeIntervalSince1970 * 1_000)
            let id = String(RecordIDs.snowflake(calls.count, at: milliseconds))
            let start = MonotonicClock.nanoseconds
            var isRefused = false
            do {
                try statement.execute(arguments: [id, milliseconds / 1_000])
            } catch DatabaseError.SQLITE_BUSY {
                isRefused = true
            }
            let end = MonotonicClock.nanoseconds
            calls.append(Call(start: start, nanoseconds: end - start, isRefused: isRefused))
            pace.advance(past: end)
        }
        return calls
    }
}
