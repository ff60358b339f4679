import ArgumentParser

/// What a store that is measured on holds. Equal recipes make equal stores, whenever and wherever they are made.
struct StoreRecipe {
    /// Whose tables they are.
    enum Schema: String, CaseIterable, ExpressibleByArgument {
        /// The default store, made by the library that the app uses.
        case reader
        /// What an app without that library has: a TEXT key, and an index on the time.
        case usual
    }

    /// What the store keeps for a transaction that fails, by SQLite's names.
    enum Journal: String, CaseIterable, ExpressibleByArgument {
        /// A write-ahead log: readers and a writer do not lock each other out.
        case wal
        /// A rollback journal: they do. An app's store has it unless the app asks for a log.
        case delete
    }

    let schema: Schema
    let ids: RecordIDs
    /// The rows of `read_record`.
    let records: Int
    /// Whether the records were inserted in the order of their times, as an app does; otherwise in none, as an import may.
    var isInOrder = true
    /// The rows of `feed`, each with ``articlesPerFeed`` articles; every second one is stale. Only in the default
    /// store.
    var feeds = 200

    /// Whether the tweets of the read records that expire stand there, too.
    var hasOldTweets = false

    /// Items that are older than everything else, and than the cutoff.
    var oldItems = 0

    var journal = Journal.wal

    static let articlesPerFeed = 20

    /// The tab of the fresh feed `index`.
    static func freshTab(_ index: Int) -> Int64 { Int64(2 * index + 2) }

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
    }
}
