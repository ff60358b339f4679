import Foundation

/// The feeds of tabs, from the store while they are fresh, else from a loader.
public actor FeedCache {
    private let store: ReaderStore
    private let loader: any FeedLoader
    private let lifetime: TimeInterval
    private var background: BackgroundContext?
    private var loads: [Int64: Task<CachedFeed, any Error>] = [:]

    /// A cache in `store` of what `loader` loads, fresh for `lifetime` seconds from then on.
    public init(
        store: ReaderStore, loader: any FeedLoader,
        lifetime: TimeInterval = TimeInterval(ReaderSchema.feedLifetime)
    ) {
        self.store = store
        self.loader = loader
        self.lifetime = lifetime
    }

    /// A tab's articles, as ``feed(ofTab:refreshing:orStale:)`` has them.
    public func articles(
        forTab tab: Int64, refreshing: Bool = false, orStale: Bool = false
    ) async throws -> [Article] {
        try await feed(ofTab: tab, refreshing: refreshing, orStale: orStale).articles
    }

    /// A tab's feed: what is cached if that is fresh, and else, or if `refreshing`, what the loader loads, which then is
    /// cached in its place. Whoever asks for a tab that is just being loaded gets what that load brings.
    ///
    /// Throws what the loader throws, unless `orStale`, and something is cached: then that is returned, whose
    /// ``CachedFeed/isFresh(at:)`` and ``CachedFeed/age(at:)`` say so.
    public func feed(
        ofTab tab: Int64, refreshing: Bool = false, orStale: Bool = false
    ) async throws -> CachedFeed {
        if !refreshing, let cached = try store.viewContext.read({ try $0.feed(ofTab: tab) }),
            cached.isFresh(at: store.now())
        {
            return cached
        }
        do {
            return try await load(tab)
        } catch {
            guard orStale, let cached = try store.viewContext.read({ try $0.feed(ofTab: tab) }) else {
                throw error
            }
            return cached
        }
    }

    private func load(_ tab: Int64) async throws -> CachedFeed {
        if let load = loads[tab] { return try await load.value }
        let context = try background ?? store.newBackgroundContext()
        background = context
        let (loader, lifetime) = (loader, lifetime)
        // Of nobody's: one caller's cancellation is not the others'.
        let load = Task { try await Self.load(tab, with: loader, lifetime, into: context) }
        loads[tab] = load
        defer { loads[tab] = nil }
        return try await load.value
    }

    private static func load(
        _ tab: Int64, with loader: any FeedLoader, _ lifetime: TimeInterval, into context: BackgroundContext
    ) async throws -> CachedFeed {
        let known = try await context.perform { try $0.validators(ofTab: tab) }
        var loaded = try await loader.load(tab: tab, since: known)
        if loaded == .notModified {
            let renewed = try await context.perform { try $0.renewFeed(ofTab: tab, lifetime: lifetime) }
            if let renewed { return renewed }
            // What has not changed was deleted meanwhile.
            loaded = try await loader.load(tab: tab, since: nil)
        }
        switch loaded {
        case .notModified: throw ReaderStoreError.notLoaded(tab: tab, path: context.path)
        case .articles(let articles, let validators):
            return try await context.perform {
                try $0.replaceFeed(ofTab: tab, with: articles, validators: validators, lifetime: lifetime)
            }
        }
    }
}
