import Foundation
import ReaderStore

/// Parses the articles of a feed: an array of articles, JSON Feed, RSS or Atom.
///
/// - The format is recognised by the content. The content type is used only for the encoding.
/// - The encoding is taken from the byte order mark, the XML declaration or the content type, in this order. The
///   default is UTF-8. Invalid bytes are an error. They are not repaired, because nobody could tell what was lost.
/// - An incomplete document, or one that violates its format, is an error and never a shorter feed.
/// - Only XML's own entities are resolved. A document that declares entities is refused.
/// - Titles are plain text on one line, see ``PlainText``. Links are absolute web addresses, see ``ArticleLink``.
/// - An entry without title and link is left out. A feed with only such entries is an error.
public enum FeedParser {
    /// The articles in `data`, in the same order.
    ///
    /// `contentType` is the server's content type. `url` is the feed's address, for errors and relative links; without
    /// it, relative links are left out. `isGivenUp` is called repeatedly while XML is parsed, and parsing ends with an
    /// error when it returns true.
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

    /// HTML is seldom valid XML, so it would be reported as a malformed feed.
    private static func isHTML(_ text: Data) -> Bool {
        let start = String(decoding: text.drop(while: isSpace).prefix(14), as: UTF8.self).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

/// Refuses documents with an element that has too many attributes.
///
/// libxml2 compares each attribute with all others of its element, so ten megabytes of attributes keep it busy for
/// hours. This scan finds tags by itself. It is reliable only for well-formed documents, but in others libxml2 stops at
/// the error.
enum AttributeGuard {
    /// More than any real element has.
    static let limit = 1000

    static func check(_ text: Data) throws(ReadingFailure) {
        let isRefused = text.withUnsafeBytes { bytes in
            var count = 0
            var isTag = false
            var quote: UInt8?
            for (index, byte) in bytes.enumerated() {
                if byte == UInt8(ascii: "<") {
                    // An attribute cannot contain this character, so a tag may begin here in any case.
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
