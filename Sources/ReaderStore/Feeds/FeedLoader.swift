import Foundation

/// Where the articles of a tab come from: the network, as a rule.
public protocol FeedLoader: Sendable {
    /// Loads what a tab has now. `validators` are those that came with what is cached; nil when nothing is.
    ///
    /// Called off the main thread, and once at a time for a tab. Throws whatever keeps it from loading.
    func load(tab: Int64, since validators: FeedValidators?) async throws -> LoadedFeed
}

/// What a loader found.
public enum LoadedFeed: Hashable, Sendable {
    /// What is cached still holds.
    case notModified
    /// All articles, in the feed's order, and what to ask with the next time.
    case articles([Article], FeedValidators)
}

/// What a server says of the version that it served, to be asked with the next time (RFC 9110, section 8.8).
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

/// What is known of a tab's feed when loading it begins, against which it is stored in the end.
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

    /// Stores what was loaded, or renews what is cached. Nil when that cannot be known to be right any more, and has to be
    /// loaded again: another has loaded it meanwhile, and perhaps later; what has not changed was deleted; or the tab's
    /// feed is elsewhere now.
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
