import ReaderStore

/// The formats of feeds that are read.
public enum FeedFormat: Sendable {
    /// An array of objects with `title` and `url`.
    case articleArray
    /// JSON Feed 1.0 and 1.1.
    case jsonFeed
    /// RSS 2.0, and 0.9x and 1.0 as far as they are alike.
    case rss
    /// Atom 1.0 (RFC 4287).
    case atom
}
