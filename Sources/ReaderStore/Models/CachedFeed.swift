import Foundation

/// The articles of a tab as they were when loaded.
public struct CachedFeed: Hashable, Sendable {
    /// The id of the tab.
    public var tab: Int64
    /// The articles, in the feed's order.
    public var articles: [Article]
    /// When they were loaded.
    public var fetchedAt: Date
    /// Until when they count as up to date.
    public var expiresAt: Date

    /// Whether the articles count as up to date at `date`. They do not if they were loaded later than `date`: the clock
    /// was set back, and their age is unknown.
    public func isFresh(at date: Date) -> Bool { fetchedAt <= date && date < expiresAt }

    /// How long ago they were loaded, in seconds.
    public func age(at date: Date) -> TimeInterval { date.timeIntervalSince(fetchedAt) }
}

/// Encoded with the names of the store's columns.
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
    /// The title.
    public var title: String
    /// The address of the article.
    public var url: String

    /// See the properties.
    public init(title: String, url: String) {
        self.title = title
        self.url = url
    }
}
