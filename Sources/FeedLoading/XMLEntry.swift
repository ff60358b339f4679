import Foundation
import ReaderStore

/// An entry of an XML feed while it is being read.
struct XMLEntry {
    let isAtom: Bool
    let namespace: String
    /// The number of open elements, including the entry itself.
    let depth: Int

    private var title = ""
    private var titleIsHTML = false
    private var link = ""
    private var guid = ""
    private var guidIsLink = false

    init(isAtom: Bool, namespace: String, depth: Int) {
        self.isAtom = isAtom
        self.namespace = namespace
        self.depth = depth
    }

    var article: Article { Article(title: title, url: link.isEmpty ? guid : link) }

    mutating func begin(_ element: borrowing XMLDocument, base: URL?) {
        switch element.name {
        case "title": titleIsHTML = !isAtom || element.attribute("type") == "html"
        case "link" where isAtom && link.isEmpty && Self.isAlternate(element.attribute("rel")):
            link = ArticleLink.resolved(element.attribute("href"), against: base)
        case "guid": guidIsLink = element.attribute("isPermaLink")?.lowercased() != "false"
        default: break
        }
    }

    mutating func end(_ name: String, text: String, base: URL?) {
        switch name {
        case "title" where title.isEmpty:
            title = titleIsHTML ? PlainText.fromHTML(text) : PlainText.oneLine(text)
        case "link" where !isAtom && link.isEmpty: link = ArticleLink.resolved(text, against: base)
        // Many a guid is declared to be a link but is not one, so only an absolute address counts.
        case "guid" where guidIsLink: guid = ArticleLink.resolved(text, against: nil)
        default: break
        }
    }

    private static func isAlternate(_ relation: String?) -> Bool {
        [nil, "", "alternate", "http://www.iana.org/assignments/relation/alternate"].contains(relation)
    }
}
