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

    /// A tab's feed: what is cached if that is fresh, and else, or if `refreshing`, what the loader loads, which then
    /// is cached in its place. Whoever asks for a tab that is just being loaded gets what that load brings; a load
    /// goes on to its end even when the tasks of all who asked are cancelled.
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
        let (store, loader, lifetime) = (store, loader, lifetime)
        // Of nobody's: one caller's cancellation is not the others'.
        let load = Task { try await Self.load(tab, with: loader, lifetime, into: store, by: context) }
        loads[tab] = load
        defer { loads[tab] = nil }
        return try await load.value
    }

    private static func load(
        _ tab: Int64, with loader: any FeedLoader, _ lifetime: TimeInterval, into store: ReaderStore,
        by context: BackgroundContext
    ) async throws -> CachedFeed {
        while true {
            let (address, known) = try store.viewContext.read {
                (try $0.address(ofTab: tab), try $0.validators(ofTab: tab))
            }
            let loaded = try await loader.load(tab: tab, since: known)
            if loaded == .notModified, known == nil {
                throw ReaderStoreError.notLoaded(tab: tab, path: context.path)
            }
            let cached = try await context.perform { transaction -> CachedFeed? in
                guard try transaction.address(ofTab: tab) == address else { return nil }
                return switch loaded {
                case .notModified: try transaction.renewFeed(ofTab: tab, lifetime: lifetime)
                case .articles(let articles, let validators):
                    try transaction.replaceFeed(
                        ofTab: tab, with: articles, validators: validators, lifetime: lifetime)
                }
            }
            if let cached { return cached }
            // What has not changed was deleted meanwhile, or what was loaded is from where the tab's feed was before.
        }
    }
}
