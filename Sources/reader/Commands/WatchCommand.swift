import ArgumentParser
import Foundation
import ReaderStore

/// `reader watch`: says what changes in the store, whoever changes it.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print what changes in the store, until it is interrupted.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    /// One line of JSON.
    private struct Line: Encodable {
        let at: Date
        let table: String
        let before: Int
        let after: Int
    }

    func run() async throws {
        try await Reporting.reported {
            let store = try store.open()
            let changes = try store.viewContext.changes()
            if !output.json { print("watching \(store.path)") }
            fflush(nil)  // at once, into a pipe too
            for await change in changes {
                let now = Date()
                for (table, rows) in change.tables.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    try say(table, rows, now)
                }
                fflush(nil)
            }
        }
    }

    private func say(_ table: ReaderTable, _ rows: StoreChange.Rows, _ now: Date) throws {
        guard !output.json else {
            let line = Line(at: now, table: table.rawValue, before: rows.before, after: rows.after)
            return try Output.print(json: line)
        }
        let difference = rows.after - rows.before
        let rowsInWords = difference.magnitude == 1 ? "1 row" : "\(difference.magnitude) rows"
        let what = rowsInWords + (difference < 0 ? " went" : " came")
        print("\(now.local)  \(table.rawValue): \(what), \(rows.after) are there")
    }
}
