import Foundation

/// Loads the articles of a tab, usually from the network.
public protocol FeedLoader: Sendable {
    /// Loads the current articles of a tab. `validators` are those of the cached feed; nil when none is cached.
    ///
    /// Called off the main thread, and for each tab once at a time. Throws the error if it cannot load.
    func load(tab: Int64, since validators: FeedValidators?) async throws -> LoadedFeed
}

/// The result of a load.
public enum LoadedFeed: Hashable, Sendable {
    /// The cached feed is up to date.
    case notModified
    /// All articles, in the feed's order, and the validators for the next request.
    case articles([Article], FeedValidators)
}

/// A server's identification of the version that it served, to send with the next request (RFC 9110, section 8.8).
public struct FeedValidators: Hashable, Sendable {
    /// The `ETag`, as it was sent.
    public var etag: String?
    /// The `Last-Modified`, as it was sent.
    public var lastModified: String?

    /// See the properties.
    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// The state of a tab's feed when its load begins. Before the result is stored, this is compared with the state then.
struct KnownFeed: Equatable {
    let tab: Int64
    let address: String?
    let feed: CachedFeed?
    let validators: FeedValidators?

    init(ofTab tab: Int64, in transaction: borrowing ReaderTransaction) throws(ReaderStoreError) {
        self.tab = tab
        address = try transaction.address(ofTab: tab)
        feed = try transaction.feed(ofTab: tab)
        validators = try transaction.validators(ofTab: tab)
    }

    /// Stores the loaded articles, or renews the cached feed. Returns nil when the result may be outdated, so that the
    /// feed must be loaded again: another process has stored a feed meanwhile, perhaps a later one; the unmodified feed
    /// was deleted; or the tab's address has changed.
    func replace(
        with loaded: LoadedFeed, _ lifetime: TimeInterval, in transaction: borrowing ReaderTransaction
    ) throws(ReaderStoreError) -> CachedFeed? {
        let current = try KnownFeed(ofTab: tab, in: transaction)
        switch loaded {
        case .notModified:
            guard current == self else { return nil }
            return try transaction.renewFeed(ofTab: tab, lifetime: lifetime)
        case .articles(let articles, let validators):
            guard current.address == address, current.feed == nil || current == self else { return nil }
            return try transaction.replaceFeed(
                ofTab: tab, with: articles, validators: validators, lifetime: lifetime)
        }
    }
}
