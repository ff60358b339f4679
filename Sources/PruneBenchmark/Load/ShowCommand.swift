import ArgumentParser
import Foundation
import ReaderStore

/// The app that shows what it has: it asks its store for the same thing once in a period, until its input ends. Then
/// it prints when each call began and how long it took.
struct ShowCommand: AsyncParsableCommand {
    /// What it asks for.
    enum Content: String, CaseIterable, ExpressibleByArgument {
        /// The articles of one tab after another, in no order, from a cache.
        case articles
        /// All read records.
        case readRecords = "read-records"
    }

    static let configuration = CommandConfiguration(commandName: "show", shouldDisplay: false)

    @Option var path: String
    @Option var content: Content
    /// How many fresh feeds or read records there are.
    @Option var count: Int
    @Option var periodMilliseconds: Int64

    func run() async throws {
        // The app of a time when every record is still kept.
        let now = Date(timeIntervalSince1970: TimeInterval(Timeline.end))
        let store = try ReaderStore(at: path, now: { now })
        let cache = FeedCache(store: store, loader: NoNetwork())
        var calls: [Call] = []
        var pace = Pace(milliseconds: periodMilliseconds)
        try StandardInput.sayReady()
        while !StandardInput.hasEnded() {
            pace.wait()
            let call =
                switch content {
                case .articles: try await askForArticles(calls.count, of: cache)
                case .readRecords: try loadRecords(from: store)
                }
            calls.append(call)
            pace.advance(past: call.end)
        }
        try store.close()
        print(calls.map(\.line).joined(separator: "\n"))
    }

    private func askForArticles(_ index: Int, of cache: FeedCache) async throws -> Call {
        let tab = StoreRecipe.freshTab(Int(noise(index) % UInt64(count)))
        let start = MonotonicClock.nanoseconds
        let articles = try await cache.articles(forTab: tab)
        let end = MonotonicClock.nanoseconds
        guard articles.count == StoreRecipe.articlesPerFeed else {
            throw WrongResult("tab \(tab) has \(articles.count) articles")
        }
        return Call(start: start, nanoseconds: end - start, isRead: true)
    }

    private func loadRecords(from store: ReaderStore) throws -> Call {
        let days = Int(Timeline.length / Timeline.day) + 1
        let start = MonotonicClock.nanoseconds
        let records = try store.viewContext.read { try $0.readRecords(keptDays: days) }
        let end = MonotonicClock.nanoseconds
        guard records.count == count else {
            throw WrongResult("\(records.count) of \(count) read records were loaded")
        }
        return Call(start: start, nanoseconds: end - start, isRead: true)
    }
}

/// For a cache that has everything.
private struct NoNetwork: FeedLoader {
    func load(tab: Int64, since validators: FeedValidators?) throws -> LoadedFeed {
        throw WrongResult("tab \(tab) was not fresh")
    }
}
