import ArgumentParser
import ReaderStore

/// `reader read`: marks an entry of the timeline.
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
