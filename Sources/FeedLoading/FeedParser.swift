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

/// Refuses documents in which an element has attributes without end.
///
/// libxml2 compares each attribute with all others of its element: ten megabytes of them keep it busy for hours.
/// This looks for the tags by itself, and is only sure of those in whole documents; in others libxml2 gives up there.
enum AttributeGuard {
    /// More than any element has that was written to be read.
    static let limit = 1000

    static func check(_ text: Data) throws(ReadingFailure) {
        let isRefused = text.withUnsafeBytes { bytes in
            var count = 0
            var isTag = false
            var quote: UInt8?
            for (index, byte) in bytes.enumerated() {
                if byte == UInt8(ascii: "<") {
                    // It stands in no attribute: whatever came before, a tag may begin here.
                    isTag = index + 1 < bytes.count && beginsName(bytes[index + 1])
                    (count, quote) = (0, nil)
                } else if !isTag {
                    continue
                } else if let open = quote {
                    if byte == open { quote = nil }
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                    count += 1
                    if count > limit { return true }
                } else if byte == UInt8(ascii: ">") {
                    isTag = false
                }
            }
            return false
        }
        if isRefused { throw .malformed("an element of it has more than \(limit) attributes") }
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        ![UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/")].contains(byte)
    }
}
