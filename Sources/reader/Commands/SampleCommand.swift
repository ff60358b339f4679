import ArgumentParser
import Foundation
import ReaderStore

/// `reader sample`: creates a store to try the service on.
struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Create a store and fill it with sample rows.",
        discussion: """
            N read records, N/10 tweets and N/10 items, spread over the last 50, 50 and 300 days, and feeds of \
            20 articles each, half of them stale: 40 feeds for 100000 records, 10 times as many for 100 times \
            the records. A store that has rows is left alone.
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    @Option(help: "How many read records, from 1 to \(Sample.largest).")
    var records = 100_000

    func validate() throws {
        guard (1...Sample.largest).contains(records) else {
            throw ValidationError("--records must lie between 1 and \(Sample.largest)")
        }
    }

    func run() throws {
        try Reporting.reported {
            let tables = try fill()
            if output.json { return try Output.print(json: Dictionary(uniqueKeysWithValues: tables)) }
            for (table, rows) in tables {
                try Output.print(
                    table.padding(toLength: 11, withPad: " ", startingAt: 0) + " " + aligned(rows))
            }
        }
    }

    private func fill() throws -> [(String, Int)] {
        let directory = try store.directory()
        try StateDirectory.createIfMissing(at: directory)
        return try Sample(records: records, now: Int64(Date().timeIntervalSince1970))
            .fill(storeAt: StateDirectory.store(in: directory))
    }

    private func aligned(_ rows: Int) -> String {
        let digits = String(rows)
        return String(repeating: " ", count: max(0, 10 - digits.count)) + digits
    }
}
