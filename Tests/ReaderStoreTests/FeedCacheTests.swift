import TestSupport
import Foundation
import ReaderStore
import Testing

@Suite struct FeedCacheTests {
    let my: StoreAtATime
    static let tab: Int64 = 7

    init() throws { my = try StoreAtATime() }

    private func cache(_ loader: ScriptedLoader, lifetime: TimeInterval = 1_800) -> FeedCache {
        FeedCache(store: my.store, loader: loader, lifetime: lifetime)
    }

    private func titles(_ cache: FeedCache, refreshing: Bool = false) async throws -> [String] {
        try await cache.articles(forTab: Self.tab, refreshing: refreshing).map(\.title)
    }

    private var stored: CachedFeed? { get throws { try my.view.read { try $0.feed(ofTab: Self.tab) } } }

    @Test("a missing feed is loaded, and stored with an expiry exactly its lifetime from now")
    func missingIsLoaded() async throws {
        let loader = ScriptedLoader(ScriptedLoader.brings("a", "b"))
        let feed = try await cache(loader, lifetime: 90).feed(ofTab: Self.tab)
        #expect(feed.articles.map(\.title) == ["a", "b"])
        #expect(feed.fetchedAt == my.clock.now && feed.expiresAt == my.time(90))
        #expect(try stored == feed)
        #expect(loader.validators == [nil])
    }

    @Test("the lifetime is half an hour where none is said")
    func lifetimeByDefault() async throws {
        let cache = FeedCache(store: my.store, loader: ScriptedLoader(ScriptedLoader.brings("a")))
        #expect(try await cache.feed(ofTab: 1).expiresAt == my.time(1_800))
    }

    @Test("a fresh feed leaves the loader alone to its last second, and is loaded again when that has passed")
    func freshIsReturned() async throws {
        let loader = ScriptedLoader(ScriptedLoader.brings("a"), ScriptedLoader.brings("b"))
        let cache = cache(loader)
        _ = try await titles(cache)
        my.clock.advance(by: .seconds(1_799))
        #expect(try await titles(cache) == ["a"])
        #expect(loader.validators.count == 1)
        my.clock.advance(by: .seconds(1))
        #expect(try await titles(cache) == ["b"])
        #expect(try stored?.expiresAt == my.time(1_800))
    }

    @Test("a feed from the future, by a clock that was set back, is asked for, and then fresh again")
    func clockSetBack() async throws {
        let loader = ScriptedLoader(
            ScriptedLoader.brings("a", etag: "x"), ScriptedLoader.isNotModified, ScriptedLoader.brings("b"))
        let cache = cache(loader)
        _ = try await titles(cache)
        my.clock.set(my.time(-86_400))
        #expect(try await cache.feed(ofTab: Self.tab).expiresAt == my.time(1_800))
        #expect(try await titles(cache) == ["a"])
        #expect(loader.validators.count == 2)
        #expect(try stored?.fetchedAt == my.clock.now)
    }

    @Test("a refresh loads, however fresh the feed is")
    func refreshLoads() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.brings("a"), ScriptedLoader.brings("b")))
        _ = try await titles(cache)
        #expect(try await titles(cache, refreshing: true) == ["b"])
    }

    @Test("tabs have nothing to do with each other")
    func tabsAreApart() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.brings("a"), ScriptedLoader.brings("b")))
        _ = try await cache.feed(ofTab: 1)
        _ = try await cache.feed(ofTab: 2)
        #expect(try await cache.articles(forTab: 1).map(\.title) == ["a"])
        #expect(try await cache.articles(forTab: 2).map(\.title) == ["b"])
    }

    @Test("new articles take the place of all old ones, never beside them")
    func neverDuplicated() async throws {
        let cache = cache(
            ScriptedLoader(ScriptedLoader.brings("a", "b", "c"), ScriptedLoader.brings("a", "b")))
        _ = try await titles(cache)
        _ = try await titles(cache, refreshing: true)
        #expect(try stored?.articles.map(\.title) == ["a", "b"])
        #expect(try my.view.read { try $0.tabs() } == [Self.tab])
    }

    @Test("a feed without articles is a feed, and fresh")
    func emptyFeed() async throws {
        let loader = ScriptedLoader(ScriptedLoader.brings())
        let cache = cache(loader)
        #expect(try await titles(cache) == [])
        #expect(try await titles(cache) == [])
        #expect(loader.validators.count == 1)
    }

    @Test("another connection sees the old articles or the new ones, never some of both or none")
    func replacedAtOnce() async throws {
        let isDone = Shared(false)
        let sizes = [3, 40]
        let path = my.directory.store
        let mixed = Shared<[[String]]>([])
        let reads = Shared(0)
        @Sendable func put(_ size: Int, in store: ReaderStore) throws {
            let articles = (0..<size).map { _ in Article(title: "\(size)", url: "u") }
            try store.viewContext.write { _ = try $0.replaceFeed(ofTab: Self.tab, with: articles) }
        }
        try put(sizes[0], in: my.store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let other = try ReaderStore(at: path)
                while !isDone.value {
                    let feed = try other.viewContext.read { try $0.feed(ofTab: Self.tab) }
                    let titles = feed?.articles.map(\.title) ?? []
                    let isWhole = Set(titles).count == 1 && titles.count == Int(titles[0])
                    if !isWhole { mixed.update { $0.append(titles) } }
                    reads.update { $0 += 1 }
                }
            }
            group.addTask { [my] in
                defer { isDone.update { $0 = true } }
                var round = 0
                while reads.value < 200 {
                    round += 1
                    try put(sizes[round % 2], in: my.store)
                }
            }
            try await group.waitForAll()
        }
        #expect(mixed.value == [])
    }

    @Test("ten callers at once cause one load, and all get what it brings")
    func oneLoadForTen() async throws {
        let gate = Gate()
        let callers = Shared(0)
        let loader = ScriptedLoader(
            { _ in
                await gate.pass()
                return .articles([Article(title: "a", url: "u")], FeedValidators())
            })
        let cache = cache(loader)
        let results = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<10 {
                group.addTask {
                    async let titles = cache.articles(forTab: Self.tab).map(\.title)
                    if callers.update({
                        $0 += 1; return $0
                    }) == 10 {
                        gate.open()
                    }
                    return try await titles
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: ["a"], count: 10))
        #expect(loader.validators.count == 1)
    }

    @Test("after a load that failed, the next caller loads anew")
    func failureIsNotKept() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.fails, ScriptedLoader.brings("a")))
        await #expect(throws: ScriptedLoader.Failure.self) { try await titles(cache) }
        #expect(try await titles(cache) == ["a"])
    }

    @Test("a loader's error is the caller's, and what is cached stays as it was")
    func errorIsTheCallers() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.brings("a"), ScriptedLoader.fails))
        let feed = try await cache.feed(ofTab: Self.tab)
        my.clock.advance(by: .seconds(3_600))
        await #expect(throws: ScriptedLoader.Failure.self) { try await titles(cache) }
        #expect(try stored == feed)
    }

    @Test("where the app allows it, a loader's error gives the stale feed, with its age")
    func staleIsAllowed() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.brings("a"), ScriptedLoader.fails))
        _ = try await titles(cache)
        my.clock.advance(by: .seconds(3_600))
        let feed = try await cache.feed(ofTab: Self.tab, orStale: true)
        #expect(feed.articles.map(\.title) == ["a"])
        #expect(feed.age(at: my.clock.now) == 3_600 && !feed.isFresh(at: my.clock.now))
    }

    @Test("where nothing is cached there is nothing stale: the error is the caller's")
    func nothingStale() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.fails))
        await #expect(throws: ScriptedLoader.Failure.self) { try await cache.feed(ofTab: 1, orStale: true) }
    }

    @Test("what came with the articles goes back to the loader")
    func validatorsGoBack() async throws {
        let both = FeedValidators(etag: "\"1\"", lastModified: "Wed, 21 Oct 2015 07:28:00 GMT")
        let loader = ScriptedLoader(
            { _ in .articles([], both) }, ScriptedLoader.brings("b"), ScriptedLoader.brings("c"))
        let cache = cache(loader)
        for _ in 0..<3 { _ = try await titles(cache, refreshing: true) }
        #expect(loader.validators == [nil, both, FeedValidators()])
    }

    @Test("\"not modified\" renews the expiry, and only that")
    func notModifiedRenews() async throws {
        let loader = ScriptedLoader(
            ScriptedLoader.brings("a", etag: "1"), ScriptedLoader.isNotModified, ScriptedLoader.isNotModified)
        let cache = cache(loader)
        let first = try await cache.feed(ofTab: Self.tab)
        my.clock.advance(by: .seconds(2_000))
        let second = try await cache.feed(ofTab: Self.tab)
        #expect(second.articles == first.articles && second.fetchedAt == first.fetchedAt)
        #expect(second.expiresAt == my.time(1_800))
        #expect(try stored == second)
        _ = try await titles(cache, refreshing: true)
        #expect(loader.validators == [nil, FeedValidators(etag: "1"), FeedValidators(etag: "1")])
    }

    @Test("what has not been modified, but was deleted meanwhile, is loaded in full")
    func deletedMeanwhile() async throws {
        let path = my.directory.store
        let loader = ScriptedLoader(
            ScriptedLoader.brings("a", etag: "1"),
            { _ in
                try Program.sqlite(path, "PRAGMA foreign_keys = ON; DELETE FROM feed")
                return .notModified
            }, ScriptedLoader.brings("b"))
        let cache = cache(loader)
        _ = try await titles(cache)
        #expect(try await titles(cache, refreshing: true) == ["b"])
        #expect(loader.validators == [nil, FeedValidators(etag: "1"), nil])
        #expect(try stored?.articles.map(\.title) == ["b"])
    }

    @Test("\"not modified\" to whom nothing was said to be cached is an error")
    func notModifiedOfNothing() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.isNotModified))
        let error = await #expect(throws: ReaderStoreError.self) { try await titles(cache) }
        #expect(error?.kind == .invalid)
    }

    @Test("that one caller is cancelled is not the others' business")
    func cancellationIsOnesOwn() async throws {
        let (gate, entered) = (Gate(), Gate())
        let wasCancelled = Shared(false)
        let loader = ScriptedLoader(
            { _ in
                entered.open()
                await gate.pass()
                wasCancelled.update { $0 = Task.isCancelled }
                return .articles([Article(title: "a", url: "u")], FeedValidators())
            })
        let cache = cache(loader)
        let first = Task { try await titles(cache) }
        await entered.pass()
        let second = Task { try await titles(cache) }
        first.cancel()
        gate.open()
        #expect(try await second.value == ["a"])
        #expect(!wasCancelled.value)
        _ = await first.result
        #expect(try stored?.articles.count == 1)
    }

    @Test("who is cancelled waits no longer, though the load goes on")
    func cancelledCaller() async throws {
        let (gate, entered) = (Gate(), Gate())
        let loader = ScriptedLoader(
            { _ in
                entered.open()
                await gate.pass()
                return .articles([Article(title: "a", url: "u")], FeedValidators())
            })
        let cache = cache(loader)
        let caller = Task { try await cache.articles(forTab: Self.tab, orStale: true) }
        await entered.pass()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        let late = Task { try await titles(cache) }
        gate.open()
        #expect(try await late.value == ["a"])
        #expect(loader.validators.count == 1)
    }

    @Test("who is cancelled before it asks causes no load")
    func cancelledBefore() async throws {
        let loader = ScriptedLoader(ScriptedLoader.brings("a"))
        let cache = cache(loader)
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await titles(cache)
        }
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(loader.validators.isEmpty)
    }

    /// Brings the number of the load.
    private struct NumberingLoader: FeedLoader {
        let loads = Shared(0)

        func load(tab: Int64, since validators: FeedValidators?) async -> LoadedFeed {
            let number = loads.update {
                $0 += 1
                return $0
            }
            return .articles([Article(title: "\(number)", url: "u")], FeedValidators())
        }
    }

    @Test("a refresh after a load has ended loads again, though others of ten still wake up from that one")
    func refreshAfterLoad() async throws {
        let cache = FeedCache(store: my.store, loader: NumberingLoader())
        @Sendable func refreshed() async throws -> Int {
            try #require(
                Int(try await cache.articles(forTab: Self.tab, refreshing: true).first?.title ?? ""))
        }
        for _ in 0..<20 {
            let grows = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let first = try await refreshed()
                        return try await refreshed() > first
                    }
                }
                return try await group.allSatisfy { $0 }
            }
            #expect(grows)
        }
    }

    @Test("what a slow load brings does not take the place of what another has loaded meanwhile")
    func slowLoad() async throws {
        let (gate, entered) = (Gate(), Gate())
        let slow = ScriptedLoader(
            { _ in
                entered.open()
                await gate.pass()
                return .articles([Article(title: "old", url: "u")], FeedValidators(etag: "1"))
            }, ScriptedLoader.isNotModified)
        let (cache, other) = (cache(slow), cache(ScriptedLoader(ScriptedLoader.brings("new", etag: "2"))))
        let caller = Task { try await titles(cache) }
        await entered.pass()
        #expect(try await titles(other) == ["new"])
        gate.open()
        #expect(try await caller.value == ["new"])
        #expect(slow.validators == [nil, FeedValidators(etag: "2")])
    }

    @Test("\"not modified\" does not renew what another has loaded meanwhile")
    func notModifiedMeanwhile() async throws {
        let view = my.view
        let loader = ScriptedLoader(
            ScriptedLoader.brings("a", etag: "2"),
            { _ in
                let articles = [Article(title: "b", url: "u")]
                try view.write {
                    _ = try $0.replaceFeed(
                        ofTab: Self.tab, with: articles, validators: FeedValidators(etag: "1"))
                }
                return .notModified
            }, ScriptedLoader.brings("c"))
        let cache = cache(loader)
        _ = try await titles(cache)
        #expect(try await titles(cache, refreshing: true) == ["c"])
        #expect(loader.validators == [nil, FeedValidators(etag: "2"), FeedValidators(etag: "1")])
    }

    @Test("another address drops what is cached from the old one, and what was asked there with")
    func changedAddress() async throws {
        let loader = ScriptedLoader(ScriptedLoader.brings("a", etag: "1"), ScriptedLoader.brings("b"))
        let cache = cache(loader)
        try my.view.write { try $0.setAddress("https://example.org/a", ofTab: Self.tab) }
        _ = try await titles(cache)
        try my.view.write { try $0.setAddress("https://example.org/a", ofTab: Self.tab) }
        #expect(try stored != nil, "the same address drops nothing")
        try my.view.write { try $0.setAddress("https://example.org/b", ofTab: Self.tab) }
        #expect(try stored == nil)
        #expect(try await titles(cache) == ["b"])
        #expect(loader.validators == [nil, nil])
    }

    @Test("what was on its way from the old address is not kept under the new one")
    func changedAddressMeanwhile() async throws {
        let view = my.view
        let loader = ScriptedLoader(
            { _ in
                try view.write { try $0.setAddress("https://example.org/b", ofTab: Self.tab) }
                return .articles([Article(title: "a", url: "u")], FeedValidators(etag: "1"))
            }, ScriptedLoader.brings("b"))
        let cache = cache(loader)
        try view.write { try $0.setAddress("https://example.org/a", ofTab: Self.tab) }
        #expect(try await titles(cache) == ["b"])
        #expect(loader.validators == [nil, nil])
        #expect(try stored?.articles.map(\.title) == ["b"])
    }

    @Test("an address outlives what is cached")
    func addressOutlivesFeed() async throws {
        try my.view.write { try $0.setAddress("https://example.org/a", ofTab: Self.tab) }
        _ = try await titles(cache(ScriptedLoader(ScriptedLoader.brings("a"))))
        _ = try my.view.write { try $0.execute(BatchDelete(.feed, where: .all)) }
        #expect(try my.view.read { try $0.address(ofTab: Self.tab) } == "https://example.org/a")
        #expect(try my.view.read { try $0.validators(ofTab: Self.tab) } == nil)
    }

    @Test(
        "an expiry that the store cannot hold is refused, and what is cached stays",
        arguments: [TimeInterval.infinity, -.infinity, .nan, 1e12, -1e12])
    func impossibleExpiry(lifetime: TimeInterval) async throws {
        _ = try await titles(cache(ScriptedLoader(ScriptedLoader.brings("a"))))
        let feed = try stored
        for step in [ScriptedLoader.brings("b"), ScriptedLoader.isNotModified] {
            let cache = cache(ScriptedLoader(step), lifetime: lifetime)
            let error = await #expect(throws: ReaderStoreError.self) {
                try await titles(cache, refreshing: true)
            }
            #expect(error?.kind == .invalid)
        }
        #expect(try stored == feed)
    }

    @Test("a text that the store cannot hold is refused, and what is cached stays")
    func impossibleText() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.brings("a"), ScriptedLoader.brings("b", "c\0d")))
        _ = try await titles(cache)
        let error = await #expect(throws: ReaderStoreError.self) { try await titles(cache, refreshing: true) }
        #expect(error?.kind == .invalid)
        #expect(try stored?.articles.map(\.title) == ["a"])
    }

    @Test("a cache of a closed store says so")
    func closedStore() async throws {
        let cache = cache(ScriptedLoader(ScriptedLoader.brings("a")))
        try my.store.close()
        let error = await #expect(throws: ReaderStoreError.self) { try await titles(cache) }
        #expect(error?.kind == .misuse)
    }
}
