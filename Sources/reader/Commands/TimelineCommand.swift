import ArgumentParser
import Foundation
import ReaderStore
import TerminalText

/// `reader timeline`: shows the timeline, or imports tweets.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Show the timeline, newest first.",
        subcommands: [ImportCommand.self])

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    func run() throws {
        try Reporting.reported {
            let tweets = try ShownTweet.all(in: store.open()) { try $0.timeline() }
            if output.json { return try Output.print(json: tweets) }
            try Output.print("timeline", TextTable(tweets: tweets))
        }
    }
}

/// `reader timeline import`: imports a whole file, or nothing.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import tweets from a file of the API's JSON; - is standard input.")

    @OptionGroup var parent: TimelineCommand

    @Argument(help: "An array of tweets as JSON.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(help: "Replace a tweet of the same id; without this it is an error.")
    var update = false

    func run() async throws {
        try await Reporting.reported {
            let tweets = try TimelineJSON.tweets(in: try read(), from: source)
            let (context, update) = (try parent.store.open().newBackgroundContext(), update)
            do {
                try await context.perform { store in
                    for tweet in tweets { try store.add(tweet, updating: update) }
                }
            } catch let error as ReaderStoreError where error.kind == .exists {
                throw ExistingTweetError(error: error)
            }
            if parent.output.json { return try Output.print(json: ["imported": tweets.count]) }
            try Output.print("imported \(tweets.count.counted("tweet"))")
        }
    }

    private func read() throws -> Data {
        // Opened here, because FileHandle would report a path's error in its own words.
        let descriptor = file == "-" ? STDIN_FILENO : Foundation.open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError(source: source, errno: errno) }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: file != "-").readToEnd()
                ?? Data()
        } catch {
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw InputError(source: source, errno: Int32(underlying?.code ?? Int(EIO)))
        }
    }

    private var source: String { file == "-" ? "standard input" : file }
}

/// A file that cannot be read.
struct InputError: Error, CustomStringConvertible {
    let source: String
    let errno: Int32

    var description: String { "cannot read \(source): \(String(cString: strerror(errno)))" }
}
