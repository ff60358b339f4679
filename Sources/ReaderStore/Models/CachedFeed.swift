import Foundation

/// The articles of a tab as they were when they were loaded.
public struct CachedFeed: Hashable, Sendable {
    /// The tab.
    public var tab: Int64
    /// In the feed's order.
    public var articles: [Article]
    /// When they were loaded.
    public var fetchedAt: Date
    /// Until when they are taken for the newest.
    public var expiresAt: Date

    /// Whether they can be taken for the newest at `date`. What was loaded later than that cannot: the clock was set
    /// back, and nobody knows how long ago they were loaded.
    public func isFresh(at date: Date) -> Bool { fetchedAt <= date && date < expiresAt }

    /// How long ago they were loaded, in seconds.
    public func age(at date: Date) -> TimeInterval { date.timeIntervalSince(fetchedAt) }
}

/// With the names of the store's columns.
extension CachedFeed: Codable {
    private enum CodingKeys: String, CodingKey {
        case articles
        case tab = "tab_id"
        case fetchedAt = "fetched_at"
        case expiresAt = "expires_at"
    }
}

/// An article of a feed.
public struct Article: Hashable, Codable, Sendable {
    /// What it is called.
    public var title: String
    /// Where it stands.
    public var url: String

    /// See the properties.
    public init(title: String, url: String) {
        self.title = title
        self.url = url
    }
}
