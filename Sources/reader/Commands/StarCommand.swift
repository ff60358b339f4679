import ArgumentParser
import ReaderStore

/// `reader star`: keeps a tweet, however old it becomes.
struct StarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "star", abstract: "Star an entry of the timeline: the service never deletes it.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(help: "The id of the entry.")
    var id: Int64

    func run() throws {
        try Reporting.reported {
            try store.open().viewContext.write { try $0.star(id) }
            if output.json { return try Output.print(json: ["starred": true]) }
            try Output.print("starred: it stays until it is unstarred")
        }
    }
}

/// `reader unstar`: lets a tweet expire again.
struct UnstarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unstar", abstract: "Remove the star of an entry, which then expires like all others.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(help: "The id of the entry.")
    var id: Int64

    func run() throws {
        try Reporting.reported {
            try store.open().viewContext.write { try $0.unstar(id) }
            if output.json { return try Output.print(json: ["starred": false]) }
            try Output.print("unstarred: it expires like all others")
        }
    }
}
