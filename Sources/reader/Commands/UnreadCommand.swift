import ArgumentParser
import ReaderStore
import TerminalText

/// `reader unread`: shows the tweets without a read record.
struct UnreadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unread", abstract: "Show the unread entries of the timeline, newest first.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    func run() throws {
        try Reporting.reported {
            let tweets = try ShownTweet.all(in: store.open()) { try $0.unread() }
            if output.json { return try Output.print(json: tweets) }
            try Output.print("unread", TextTable(tweets: tweets))
        }
    }
}

/// `reader read`: marks a tweet as read.
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Mark an entry of the timeline as read, and say how many are left.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(help: "The id of the entry.")
    var id: Int64

    func run() throws {
        try Reporting.reported {
            let left = try store.open().viewContext.write { try $0.markRead(id) }
            if output.json { return try Output.print(json: ["unread": left]) }
            try Output.print("\(left) unread")
        }
    }
}
