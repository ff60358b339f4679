import DefaultStore
import Foundation

/// The feeds of tabs: from the store while they are fresh, otherwise from a loader.
public actor FeedCache {
    private let store: ReaderStore
    private let loader: any FeedLoader
    private let lifetime: TimeInterval
    private var background: BackgroundContext?
    /// The callers that wait for a tab's load, by tab.
    private var waiting: [Int64: [UUID: CheckedContinuation<CachedFeed, any Error>]] = [:]

    /// A cache in `store` for what `loader` loads. A feed is fresh for `lifetime` seconds after it was loaded.
    public init(
        store: ReaderStore, loader: any FeedLoader,
        lifetime: TimeInterval = TimeInterval(ReaderSchema.feedLifetime)
    ) {
        self.store = store
        self.loader = loader
        self.lifetime = lifetime
    }

    /// A tab's articles, from ``feed(ofTab:refreshing:orStale:)``.
    public func articles(
        forTab tab: Int64, refreshing: Bool = false, orStale: Bool = false
    ) async throws -> [Article] {
        try await feed(ofTab: tab, refreshing: refreshing, orStale: orStale).articles
    }

    /// A tab's feed: the cached one if it is fresh, otherwise, or if `refreshing`, a newly loaded one, which replaces
    /// the cached one. A caller that asks for a tab while it is being loaded gets the result of that load. A cancelled
    /// caller stops waiting, but the load continues to its end.
    ///
    /// Throws `CancellationError`, ``ReaderStoreError`` and the errors of the loader. If `orStale`, and a feed is
    /// cached, it returns the cached feed instead when loading fails; see ``CachedFeed/isFresh(at:)`` and
    /// ``CachedFeed/age(at:)``.
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

    /// Whether loading failed, rather than the store or because the caller was cancelled. A loaded value that the store
    /// cannot store counts as a failed load.
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
                // In a task of its own, so that cancelling one caller does not affect the others.
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
