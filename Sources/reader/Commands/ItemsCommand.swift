import ArgumentParser
import Foundation
import ReaderStore
import TerminalText

/// `reader items`: shows the app's items, and adds and deletes some.
struct ItemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "items", abstract: "Show the items, newest first.",
        subcommands: [AddItemsCommand.self, DeleteItemsCommand.self])

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    func run() throws {
        try Reporting.reported {
            let items = try store.open().viewContext.read { try $0.items() }
            if output.json { return try Output.print(json: items) }
            try Output.print("items", TextTable(items: items))
        }
    }
}

/// `reader items add`: adds items in the view context.
struct AddItemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add items with the current time.")

    @OptionGroup var parent: ItemsCommand

    @Argument(help: "How many.")
    var count = 1

    func validate() throws {
        guard (1...1_000_000).contains(count) else {
            throw ValidationError("N must lie between 1 and 1000000")
        }
    }

    func run() throws {
        try Reporting.reported {
            let items = try parent.store.open().viewContext.write { store in
                try (0..<count).map { _ in try store.addItem(at: store.now) }
            }
            if parent.output.json { return try Output.print(json: items) }
            try Output.print("added \(count.counted("item"))")
        }
    }
}

/// `reader items delete`: deletes many items in a background context.
struct DeleteItemsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete old items in a background context.")

    @OptionGroup var parent: ItemsCommand

    @Option(
        help: ArgumentHelp(
            "Delete what is older than this: 183d, 12h, 30min; the units are s min h d w month y.",
            valueName: "age"))
    var olderThan: Age

    func run() async throws {
        try await Reporting.reported {
            let store = try parent.store.open()
            let date = olderThan.before(Date())
            let result = try await store.newBackgroundContext().perform {
                try $0.execute(BatchDelete(.item, where: .before(date)))
            }
            store.viewContext.merge(result)
            let count = result.count ?? 0
            if parent.output.json { return try Output.print(json: ["deleted": count]) }
            try Output.print("deleted \(count.counted("item"))")
        }
    }
}

/// A span of time on the command line: an integer and a unit. Days and longer are calendar units.
struct Age: ExpressibleByArgument {
    let count: Int
    let unit: Calendar.Component

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), (1...1_000_000).contains(count),
            let unit = Self.units[String(argument.dropFirst(digits.count))]
        else { return nil }
        self.count = count
        self.unit = unit
    }

    private static let units: [String: Calendar.Component] = [
        "s": .second, "min": .minute, "h": .hour, "d": .day, "w": .weekOfYear, "month": .month, "y": .year,
    ]

    func before(_ date: Date) -> Date {
        Calendar.current.date(byAdding: unit, value: -count, to: date) ?? .distantPast
    }
}
