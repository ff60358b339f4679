import DefaultStore
import Foundation

/// The feeds of tabs, from the store while they are fresh, else from a loader.
public actor FeedCache {
    private let store: ReaderStore
    private let loader: any FeedLoader
    private let lifetime: TimeInterval
    private var background: BackgroundContext?
    /// Of each tab that is being loaded, who waits for it.
    private var waiting: [Int64: [UUID: CheckedContinuation<CachedFeed, any Error>]] = [:]

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
    /// is cached in its place. Whoever asks for a tab that is just being loaded gets what that load brings; who is
    /// cancelled waits no longer, and the load goes on to its end even without any who wait.
    ///
    /// Throws `CancellationError`, ``ReaderStoreError``, and what the loader throws, unless `orStale`, and something is cached: then that is returned, whose
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
            guard orStale, Self.isOfLoading(error),
                let cached = try store.viewContext.read({ try $0.feed(ofTab: tab) })
            else {
                throw error
            }
            return cached
        }
    }

    /// Not of the store's, and not the caller's own wish: what was loaded is nothing that the store can hold, at worst.
    private static func isOfLoading(_ error: any Error) -> Bool {
        !(error is CancellationError) && (error as? ReaderStoreError).map { $0.kind == .invalid } ?? true
    }

    private func load(_ tab: Int64) async throws -> CachedFeed {
        let context = try background ?? store.newBackgroundContext()
        background = context
        let caller = UUID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                let isLoading = waiting[tab] != nil
                waiting[tab, default: [:]][caller] = continuation
                // Of nobody's: one caller's cancellation is not the others'.
                if !isLoading { Task { await end(tab, with: loaded(tab, by: context)) } }
            }
        } onCancel: {
            Task { await leave(tab, caller) }
        }
    }

    private func leave(_ tab: Int64, _ caller: UUID) {
        waiting[tab]?.removeValue(forKey: caller)?.resume(throwing: CancellationError())
    }

    private func end(_ tab: Int64, with result: Result<CachedFeed, any Error>) {
        for caller in (waiting.removeValue(forKey: tab) ?? [:]).values { caller.resume(with: result) }
    }

    private func loaded(_ tab: Int64, by context: BackgroundContext) async -> Result<CachedFeed, any Error> {
        do {
            while true {
                let known = try store.viewContext.read { try KnownFeed(ofTab: tab, in: $0) }
                let loaded = try await loader.load(tab: tab, since: known.validators)
                if loaded == .notModified, known.feed == nil {
                    throw ReaderStoreError.notLoaded(tab: tab, path: context.path)
                }
                let lifetime = lifetime
                let cached = try await context.perform { try known.replace(with: loaded, lifetime, in: $0) }
                if let cached { return .success(cached) }
            }
        } catch {
            return .failure(error)
        }
    }
}
