import ArgumentParser
import FeedLoading
import Foundation
import ReaderStore
import TerminalText

/// `reader feed`: shows a tab's articles, from the cache while it is fresh.
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

    @Option(help: "The address to load the feed from, now and later.")
    var url: String?

    @Flag(help: "Load it even if the cache is fresh.")
    var refresh = false

    @Flag(help: "If it cannot be loaded, show the cached articles and their age.")
    var stale = false

    func run() async throws {
        try await Reporting.reported {
            let store = try store.open()
            let isMoved = try await move(in: store)
            let loader = HTTPFeedLoader(address: { tab in try Self.address(ofTab: tab, in: store) })
            let feed = try await FeedCache(store: store, loader: loader)
                .feed(ofTab: tab, refreshing: refresh && !isMoved, orStale: stale)
            if output.json { return try Output.print(json: feed) }
            let now = Date()
            if !feed.isFresh(at: now) {
                try Output.print("stale: loaded \(Int(feed.age(at: now))) s ago")
            }
            try Output.print("feed of tab \(tab)", TextTable(articles: feed.articles))
        }
    }

    /// Loads the feed from the given address, and then stores the address together with the feed. Returns false if
    /// there is nothing new: no address was given, or it is stored already.
    private func move(in store: ReaderStore) async throws -> Bool {
        guard let text = url, try store.viewContext.read({ try $0.address(ofTab: tab) }) != text else {
            return false
        }
        let url = try Self.url(text)
        switch try await HTTPFeedLoader(address: { _ in url }).load(tab: tab, since: nil) {
        case .notModified: return false  // cannot happen, since the request had no condition
        case .articles(let articles, let validators):
            try store.viewContext.write {
                try $0.setAddress(text, ofTab: tab)
                try $0.replaceFeed(ofTab: tab, with: articles, validators: validators)
            }
            return true
        }
    }

    private static func address(ofTab tab: Int64, in store: ReaderStore) throws -> URL {
        guard let text = try store.viewContext.read({ try $0.address(ofTab: tab) }) else {
            throw ValidationError("tab \(tab) has no address yet: name one with --url")
        }
        return try url(text)
    }

    private static func url(_ text: String) throws -> URL {
        // The message does not repeat the address, which may contain a password.
        guard let url = URL(string: text) else { throw ValidationError("the address is not a URL") }
        return url
    }
}
