import ArgumentParser
import Foundation
import ReaderStore

/// `reader watch`: prints the changes in the store, whoever makes them.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print changes in the store until interrupted.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    /// A line of the JSON output.
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
            Output.say("watching \(store.path)")
            for await change in changes {
                let now = Date()
                for (table, rows) in change.tables.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    try say(table, rows, now)
                }
            }
            try store.viewContext.read { _ in }  // throws the reason why the stream has ended
        }
    }

    private func say(_ table: ReaderTable, _ rows: StoreChange.Rows, _ now: Date) throws {
        guard !output.json else {
            let line = Line(at: now, table: table.rawValue, before: rows.before, after: rows.after)
            return try Output.print(json: line)
        }
        let difference = rows.after - rows.before
        let what = abs(difference).counted("row") + (difference < 0 ? " deleted" : " added")
        try Output.print(
            "\(now.local)  \(table.rawValue): \(what), \(rows.after) in all")
    }
}
