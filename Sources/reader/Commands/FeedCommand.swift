import ArgumentParser
import FeedLoading
import Foundation
import ReaderStore

/// `reader feed`: a tab's articles, from the cache while that is fresh.
struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Show the articles of a tab, loading them if they are not cached.",
        discussion:
            "The address of a tab is remembered. Feeds are RSS, Atom, JSON Feed, or an array of {title, url}."
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(help: "The number of the tab.")
    var tab: Int64

    @Option(help: "Where the feed is loaded from, from now on.")
    var url: String?

    @Flag(help: "Load it, even if what is cached is fresh.")
    var refresh = false

    @Flag(help: "If it cannot be loaded, show what is cached, with its age.")
    var stale = false

    func run() async throws {
        try await Reporting.reported {
            let store = try store.open()
            if let url { try store.viewContext.write { try $0.setAddress(url, ofTab: tab) } }
            let loader = HTTPFeedLoader(address: { tab in try Self.address(ofTab: tab, in: store) })
            let feed = try await FeedCache(store: store, loader: loader)
                .feed(ofTab: tab, refreshing: refresh, orStale: stale)
            if output.json { return try Output.print(json: feed) }
            let now = Date()
            if !feed.isFresh(at: now) {
                try Output.print("stale: loaded \(Int(feed.age(at: now))) s ago")
            }
            try Output.print("feed of tab \(tab)", TextTable(articles: feed.articles))
        }
    }

    private static func address(ofTab tab: Int64, in store: ReaderStore) throws -> URL {
        guard let text = try store.viewContext.read({ try $0.address(ofTab: tab) }) else {
            throw ValidationError("tab \(tab) has no address yet: name one with --url")
        }
        guard let url = URL(string: text) else { throw ValidationError("\"\(text)\" is no URL") }
        return url
    }
}
