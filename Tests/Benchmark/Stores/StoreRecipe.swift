import ArgumentParser
import Foundation

/// What a store that is measured on holds. Equal recipes make equal stores, whenever and wherever they are made.
struct StoreRecipe: Codable {
    enum Schema: String, Codable, CaseIterable {
        /// The default store, made by the library that the app uses.
        case reader
        /// What an app without that library has: a TEXT key, and an index on the time.
        case usual
        /// A reading app of its own kind: articles with an integer for a key, and an index on the time.
        case articles
    }

    /// By SQLite's names.
    enum Journal: String, Codable, CaseIterable {
        /// A write-ahead log: readers and a writer do not lock each other out.
        case wal
        /// A rollback journal: they do. It is SQLite's default.
        case delete
    }

    var schema = Schema.reader
    var ids = RecordIDs.followingTime
    /// The rows of `read_record`, or of `article` in the schema of that name.
    var records: Int
    /// Whether the records were inserted in the order of their times, as by an app; otherwise in no order, as by an import.
    var isInOrder = true
    /// The rows of `feed`, each with ``articlesPerFeed`` articles; every second one is stale. Only in the default
    /// store.
    var feeds = 200
    /// Whether the tweets of expired read records are still there.
    var hasOldTweets = false
    /// Items that are older than everything else, and than the cutoff.
    var oldItems = 0
    var journal = Journal.wal
    /// Whether articles have an index on feed and time, too. Only in the schema of that name.
    var hasFeedIndex = false

    /// Of the schema of that name: 300 articles each.
    var articleFeeds: Int { max(1, records / 300) }

    static let articlesPerFeed = 20

    /// The tab of the fresh feed `index`.
    static func freshTab(_ index: Int) -> Int64 { Int64(2 * index + 2) }

    /// The same rows in the usual schema.
    var inUsualSchema: StoreRecipe {
        var recipe = self
        recipe.schema = .usual
        return recipe
    }

    /// The read records as they were inserted.
    var insertionOrder: [Int] {
        isInOrder ? Array(0..<records) : (0..<records).sorted { noise($0) < noise($1) }
    }

    /// The read records for which there is a tweet and an item.
    var markedRecords: StrideTo<Int> {
        stride(from: hasOldTweets ? 0 : ExpiredShare.half.rows(of: records), to: records, by: 10)
    }

    /// Identifies the content; the first part changes when what is made of a recipe does.
    var name: String {
        "3-\(schema.rawValue)-\(ids.rawValue)-\(records)-\(feeds)" + (hasOldTweets ? "-old-tweets" : "")
            + (isInOrder ? "" : "-no-order")
            + (oldItems > 0 ? "-\(oldItems)-old-items" : "")
            + (journal == .wal ? "" : "-\(journal.rawValue)")
            + (hasFeedIndex ? "-feed-index" : "")
    }
}

/// As JSON.
extension StoreRecipe: ExpressibleByArgument {
    init?(argument: String) {
        guard let recipe = try? JSONDecoder().decode(Self.self, from: Data(argument.utf8)) else { return nil }
        self = recipe
    }

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
