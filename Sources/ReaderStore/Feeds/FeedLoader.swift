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
