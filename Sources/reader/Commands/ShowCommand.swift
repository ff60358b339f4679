import ArgumentParser
import Foundation
import ReaderStore
import TerminalText

/// `reader show`: shows the whole store.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything in the store, newest first.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    /// The data shown, with the keys of the JSON.
    private struct Everything: Encodable {
        let timeline: [ShownTweet]
        let read_records: [ReadRecord]
        let feeds: [CachedFeed]
        let items: [Item]
    }

    func run() throws {
        try Reporting.reported {
            let all = try store.open().viewContext.read { store in
                Everything(
                    timeline: try ShownTweet.stars(on: store.timeline(), in: store),
                    read_records: try store.allReadRecords(),
                    feeds: try store.tabs().compactMap { tab in try store.feed(ofTab: tab) },
                    items: try store.items())
            }
            if output.json { return try Output.print(json: all) }
            try Output.print("timeline", TextTable(tweets: all.timeline))
            try Output.print("\nread records", TextTable(records: all.read_records))
            try Output.print("\nfeeds", TextTable(feeds: all.feeds, now: Date()))
            for feed in all.feeds {
                try Output.print("\nfeed of tab \(feed.tab)", TextTable(articles: feed.articles))
            }
            try Output.print("\nitems", TextTable(items: all.items))
        }
    }
}
