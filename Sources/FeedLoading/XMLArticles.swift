import Foundation
import ReaderStore

/// Parses the XML formats: RSS and Atom.
///
/// Only direct children of an entry in the entry's namespace count as its parts. A feed may add titles and links from
/// other vocabularies (`media:title`, `atom:link`).
struct XMLArticles {
    static func entries(
        in text: Data, base: URL?, isGivenUp: @escaping () -> Bool
    ) throws(ReadingFailure) -> [Article] {
        var document = try XMLDocument.open(text, isGivenUp: isGivenUp)
        var articles = XMLArticles(base: base)
        while let event = try document.next() {
            switch event {
            case .start: try articles.start(document)
            case .text(let text): articles.part?.text += text
            case .end: articles.end()
            }
        }
        return articles.entries
    }

    private var format = FeedFormat.rss
    private var entries: [Article] = []
    /// The base address for relative links, for each open element. The first is the feed's address.
    private var bases: [URL?]
    private var entry: XMLEntry?
    /// The part of an entry whose text is being read, and the number of open elements at its start.
    private var part: (name: String, text: String, depth: Int)?

    private init(base: URL?) { bases = [base] }

    private mutating func start(_ element: borrowing XMLDocument) throws(ReadingFailure) {
        let outer = bases.last ?? nil
        let base = element.attribute("xml:base").flatMap { URL(string: $0, relativeTo: outer)?.absoluteURL }
        bases.append(base ?? outer)
        if bases.count == 2 {
            format = try Self.format(root: element.name, namespace: element.namespace)
        } else if let entry {
            if part == nil, bases.count == entry.depth + 1, element.namespace == entry.namespace {
                self.entry?.begin(element, base: base ?? outer)
                part = (element.name, "", bases.count)
            }
        } else if element.name == (format == .atom ? "entry" : "item") {
            entry = XMLEntry(isAtom: format == .atom, namespace: element.namespace, depth: bases.count)
        }
    }

    private mutating func end() {
        if let part, part.depth == bases.count {
            entry?.end(part.name, text: part.text, base: bases.last ?? nil)
            self.part = nil
        } else if let entry, entry.depth == bases.count {
            entries.append(entry.article)
            self.entry = nil
        }
        bases.removeLast()
    }

    private static func format(root: String, namespace: String) throws(ReadingFailure) -> FeedFormat {
        switch (root, namespace) {
        case ("rss", _), ("RDF", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"): return .rss
        case ("feed", "http://www.w3.org/2005/Atom"): return .atom
        default:
            let isHTML = root.lowercased() == "html"
            throw .notAFeed(
                isHTML ? "an HTML page" : "XML of some other kind, <\(PlainText.oneLine(root).prefix(40))>")
        }
    }
}

/// The supported feed formats.
public enum FeedFormat: Sendable {
    /// An array of objects with `title` and `url`.
    case articleArray
    /// JSON Feed 1.0 and 1.1.
    case jsonFeed
    /// RSS 2.0, and the parts of 0.9x and 1.0 that are the same.
    case rss
    /// Atom 1.0 (RFC 4287).
    case atom
}
