import ArgumentParser
import ReaderStore
import TerminalText

/// `reader unread`: what has no read record.
struct UnreadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unread", abstract: "Show the unread entries of the timeline, newest first.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    func run() throws {
        try Reporting.reported {
            let tweets = try store.open().viewContext.read { try $0.unread() }
            if output.json { return try Output.print(json: tweets) }
            try Output.print("unread", TextTable(tweets: tweets))
        }
    }
}
