import ArgumentParser
import ReaderStore

/// `reader load`: shows how the service and a busy app work side by side.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Write at a steady rate, mostly rows that have expired.",
        discussion: "The first error ends it.", shouldDisplay: false)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    @Option(help: "Writes a second.")
    var rate = 200

    @Option(help: "How long.")
    var seconds = 10

    func validate() throws {
        guard (1...100_000).contains(rate) else {
            throw ValidationError("--rate must lie between 1 and 100000")
        }
        guard (1...86_400).contains(seconds) else {
            throw ValidationError("--seconds must lie between 1 and 86400")
        }
    }

    func run() async throws {
        try await Reporting.reported {
            let report = try await Load(store: try store.open(), rate: rate, count: rate * seconds).run()
            if output.json { return try Output.print(json: report) }
            try Output.print("\(report)")
        }
    }
}
