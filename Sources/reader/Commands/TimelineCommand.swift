import ArgumentParser
import Foundation
import ReaderStore

/// `reader timeline`: shows it, or takes in more of it.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Show the timeline, newest first.",
        subcommands: [ImportCommand.self])

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    func run() throws {
        try Reporting.reported {
            let tweets = try store.open().viewContext.read { try $0.timeline() }
            if output.json { return try Output.print(json: tweets) }
            Output.print("timeline", TextTable(tweets: tweets))
        }
    }
}

/// `reader timeline import`: all of a file, or nothing.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in tweets from a file of the API's JSON; - is standard input.")

    @OptionGroup var parent: TimelineCommand

    @Argument(help: "An array of tweets as JSON.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(help: "Let a tweet replace one of its id, which else is an error.")
    var update = false

    func run() async throws {
        try await Reporting.reported {
            let tweets = try TimelineJSON.tweets(in: try read(), from: file == "-" ? "standard input" : file)
            let (context, update) = (try parent.store.open().newBackgroundContext(), update)
            try await context.perform { store in
                for tweet in tweets { try store.add(tweet, updating: update) }
            }
            if parent.output.json { return try Output.print(json: ["imported": tweets.count]) }
            print("imported \(tweets.count) tweets")
        }
    }

    private func read() throws -> Data {
        do {
            return file == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw InputError(file: file, cause: String(cString: strerror(errno)))
        }
    }
}

/// A file that cannot be read.
struct InputError: Error, CustomStringConvertible {
    let file: String
    let cause: String

    var description: String { "cannot read \(file): \(cause)" }
}
