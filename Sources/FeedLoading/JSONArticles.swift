import Foundation
import ReaderStore

/// Parses the two JSON formats: an array of articles, and JSON Feed.
///
/// A value that is null or has another type counts as missing. It does not affect other entries.
enum JSONArticles {
    static func entries(in text: Data, base: URL?) throws(ReadingFailure) -> [Article] {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: text)
        } catch let error as ReadingFailure {
            throw error
        } catch {
            throw .malformed("its JSON is broken or incomplete")
        }
        return document.entries.map { $0.article(base: base) }
    }

    private struct Document: Decodable {
        enum CodingKeys: CodingKey { case version, items }

        let entries: [Entry]

        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                var entries: [Entry] = []
                while !list.isAtEnd { entries.append(try list.decode(Entry.self)) }
                self.entries = entries
                return
            }
            let object = try decoder.container(keyedBy: CodingKeys.self)
            let version = try? object.decode(String.self, forKey: .version)
            guard version?.contains("://jsonfeed.org/version/1") == true else {
                throw ReadingFailure.notAFeed("a JSON object of some other kind")
            }
            guard let entries = try? object.decode([Entry].self, forKey: .items) else {
                throw ReadingFailure.malformed("it has no list of items")
            }
            self.entries = entries
        }
    }

    /// An article in either format. Keys that exist in only one format are missing in the other.
    private struct Entry: Decodable {
        enum CodingKeys: String, CodingKey {
            case title, url, id
            case externalURL = "external_url"
            case contentText = "content_text"
        }

        let texts: [CodingKeys: String]

        init(from decoder: any Decoder) throws {
            var texts: [CodingKeys: String] = [:]
            if let object = try? decoder.container(keyedBy: CodingKeys.self) {
                for key in object.allKeys { texts[key] = try? object.decode(String.self, forKey: key) }
            }
            self.texts = texts
        }

        func article(base: URL?) -> Article {
            let links = [
                ArticleLink.resolved(texts[.url], against: base),
                ArticleLink.resolved(texts[.externalURL], against: base),
                ArticleLink.resolved(texts[.id], against: nil),
            ]
            let lines = texts[.contentText, default: ""].split(whereSeparator: \.isNewline).lazy
            let titles = [texts[.title, default: ""]] + lines.map(String.init)
            return Article(
                title: titles.lazy.map(PlainText.oneLine).first { !$0.isEmpty } ?? "",
                url: links.first { !$0.isEmpty } ?? "")
        }
    }
}
