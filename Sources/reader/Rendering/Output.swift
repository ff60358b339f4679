import Foundation
import ReaderStore

/// What is printed.
enum Output {
    /// One value as JSON, on one line; times in ISO 8601.
    static func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// A table with a heading; what is empty says so.
    static func print(_ heading: String, _ table: TextTable) {
        Swift.print("\(heading): \(table.rows.count)")
        if !table.rows.isEmpty { Swift.print("\(table)") }
    }
}

extension Date {
    /// By the clock of the system's time zone, to the second.
    var local: String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        return formatted(style.year().month().day().time(includingFractionalSeconds: false))
    }
}

extension TextTable {
    init(tweets: [Tweet]) {
        self.init(
            header: ["id", "written", "by", "text"],
            rows: tweets.map { ["\($0.id)", $0.createdAt.local, "@" + $0.user.screenName, $0.text] },
            numbers: [0])
    }

    init(records: [ReadRecord]) {
        self.init(header: ["id", "made"], rows: records.map { [$0.id, $0.createdAt.local] })
    }

    init(items: [Item]) {
        self.init(
            header: ["id", "time"], rows: items.map { ["\($0.id)", $0.timestamp.local] }, numbers: [0])
    }

    init(articles: [Article]) {
        self.init(header: ["title", "url"], rows: articles.map { [$0.title, $0.url] })
    }

    init(feeds: [CachedFeed], now: Date) {
        self.init(
            header: ["tab", "articles", "loaded", "fresh until"],
            rows: feeds.map { feed in
                [
                    "\(feed.tab)", "\(feed.articles.count)", feed.fetchedAt.local,
                    feed.isFresh(at: now) ? feed.expiresAt.local : "stale",
                ]
            }, numbers: [0, 1])
    }
}
