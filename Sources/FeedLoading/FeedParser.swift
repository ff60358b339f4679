import Foundation
import ReaderStore

/// Reads the articles of a feed: an array of articles, JSON Feed, RSS or Atom.
///
/// - The format is recognised by the content. The content type is only asked for the encoding.
/// - The encoding is that of the byte order mark, else of the XML declaration, else of the content type, else UTF-8.
///   Bytes that are no text in it are an error: nothing is repaired, because nobody could tell what was lost.
/// - A document that is not whole, or that breaks the rules of its format, is an error and never a shorter feed.
/// - No entity is resolved but those of XML itself: a document that declares any is refused.
/// - Titles are plain text in one line, see ``PlainText``. Links are absolute and lead to the web, see ``ArticleLink``.
/// - An entry that has neither title nor link is left out. A feed of such entries alone is an error.
public enum FeedParser {
    /// The articles in `data`, in the order that they have there.
    ///
    /// `contentType` is what the server said. `url` is where the feed came from: relative links are resolved against
    /// it, and left out where it is nil; errors name it. XML is given up
    /// when `isGivenUp` says so, which is asked again and again.
    public static func articles(
        in data: Data, contentType: String? = nil, from url: URL? = nil,
        isGivenUp: @escaping () -> Bool = { false }
    ) throws(FeedError) -> [Article] {
        do throws(ReadingFailure) {
            let base = url.map(FeedError.withoutCredentials).flatMap { URL(string: $0) }
            let entries = try entries(in: data, contentType: contentType, base: base, isGivenUp: isGivenUp)
            let articles = entries.filter { !($0.title.isEmpty && $0.url.isEmpty) }
            guard !articles.isEmpty || entries.isEmpty else {
                throw .notAFeed("a list without any title or link")
            }
            return articles
        } catch {
            throw error.error(at: url)
        }
    }

    private static func entries(
        in data: Data, contentType: String?, base: URL?, isGivenUp: @escaping () -> Bool
    ) throws(ReadingFailure) -> [Article] {
        let text = try FeedText.utf8(data, contentType: contentType)
        guard let first = text.first(where: { !isSpace($0) }) else { throw .notAFeed("an empty answer") }
        switch first {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            return try JSONArticles.entries(in: text, base: base)
        case UInt8(ascii: "<"):
            guard !isHTML(text) else { throw .notAFeed("an HTML page") }
            try AttributeGuard.check(text)
            return try XMLArticles.entries(in: text.drop(while: isSpace), base: base, isGivenUp: isGivenUp)
        default:
            throw .notAFeed(text.contains(0) ? "binary data" : "plain text")
        }
    }

    /// HTML is seldom good XML: it would be called a broken feed.
    private static func isHTML(_ text: Data) -> Bool {
        let start = String(decoding: text.drop(while: isSpace).prefix(14), as: UTF8.self).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
