import GRDB
import ReaderStore

/// Sample rows. They depend only on the number of records, and their times also on `now`.
struct Sample {
    /// The number of read records; all other numbers are derived from it.
    let records: Int
    /// The current time, in Unix seconds.
    let now: Int64

    /// Up to this number, every record has a millisecond of its own.
    static let largest = 1_000_000_000
    private static let tables = ["read_record", "tweet", "user", "feed", "article", "item"]

    private var timeline: Timeline { Timeline(count: records, now: now, days: 50, keptDays: 30) }
    private var tweets: Int { (records + 9) / 10 }
    private var users: Int { min(1_000, max(1, tweets / 20)) }
    /// An even number that grows with the square root of the records: people who read more do not follow proportionally
    /// more feeds.
    private var feeds: Int { max(1, Int((20 * (Double(records) / 100_000).squareRoot()).rounded())) * 2 }
    private let articlesPerFeed = 20

    /// Fills the store at `path` in one transaction, completely or not at all. Creates a missing store.
    ///
    /// Returns the number of rows in each table. Throws ``SampleError`` if a table had rows before.
    func fill(storeAt path: String) throws -> [(table: String, rows: Int)] {
        let store = try ReaderStore.open(at: path)
        do {
            let counts = try store.write { db in
                for table in Self.tables where try Row.fetchOne(db, Table(table).limit(1)) != nil {
                    throw SampleError(path: path, table: table)
                }
                try insertReadRecords(db)
                try insertTweets(db)
                try insertFeeds(db)
                try insertItems(db)
                return try Self.tables.map { ($0, try Table($0).fetchCount(db)) }
            }
            try store.close()
            return counts
        } catch let error as DatabaseError {
            throw ReaderStoreError.database("fill the store", path: path, error)
        }
    }

    private func insertReadRecords(_ db: Database) throws {
        let insert = try db.makeStatement(sql: "INSERT INTO read_record (id, created_at) VALUES (?, ?)")
        for index in 0..<records {
            let time = timeline.milliseconds(index)
            try insert.execute(arguments: [String(tweetID(index, at: time)), time / 1_000])
        }
    }

    /// Every tenth record belongs to a tweet of the store. Every second one of these tweets is unread, since it gets a
    /// neighbouring id. The other records are for tweets that the store never had.
    private func insertTweets(_ db: Database) throws {
        let user = try db.makeStatement(
            sql: "INSERT INTO user (id, name, screen_name, profile_image_url_https) VALUES (?, ?, ?, ?)")
        for id in 1...users {
            try user.execute(arguments: [
                id, "Reader \(id)", "reader\(id)", "https://images.example/profile/\(id).png",
            ])
        }
        let tweet = try db.makeStatement(
            sql: "INSERT INTO tweet (id, created_at, text, user_id) VALUES (?, ?, ?, ?)")
        for number in 0..<tweets {
            let time = timeline.milliseconds(number * 10)
            let unread: Int64 = number.isMultiple(of: 2) ? 0 : 1
            try tweet.execute(arguments: [
                tweetID(number * 10, at: time) ^ unread, time / 1_000,
                "Sample tweet \(number), about as long as most of what people write in a timeline.",
                Int64(noise(number) % UInt64(users)) + 1,
            ])
        }
    }

    /// Feeds with even numbers became stale between half an hour and a day ago. The others stay fresh for at least
    /// another 20 minutes, which is long enough to try a run or two.
    private func insertFeeds(_ db: Database) throws {
        let feed = try db.makeStatement(
            sql: "INSERT INTO feed (tab_id, fetched_at, expires_at) VALUES (?, ?, ?)")
        let article = try db.makeStatement(
            sql: "INSERT INTO article (tab_id, position, title, url) VALUES (?, ?, ?, ?)")
        for tab in 1...feeds {
            let age = tab.isMultiple(of: 2) ? 3_600 + noise(tab) % 82_800 : noise(tab) % 600
            let fetched = now - Int64(age)
            try feed.execute(arguments: [tab, fetched, fetched + ReaderSchema.feedLifetime])
            for position in 0..<articlesPerFeed {
                try article.execute(arguments: [
                    tab, position, "Article \(position) of feed \(tab)",
                    "https://feed\(tab).example/\(position)",
                ])
            }
        }
    }

    private func insertItems(_ db: Database) throws {
        let insert = try db.makeStatement(sql: "INSERT INTO item (id, timestamp) VALUES (?, ?)")
        let timeline = Timeline(count: tweets, now: now, days: 300, keptDays: 183)
        for index in 0..<tweets {
            try insert.execute(arguments: [index + 1, timeline.milliseconds(index) / 1_000])
        }
    }

    /// Ids ordered by time, like Twitter's: milliseconds since November 2010, then 22 bits for the machine.
    private func tweetID(_ index: Int, at milliseconds: Int64) -> Int64 {
        (milliseconds - 1_288_834_974_657) << 22 | Int64(noise(index) & 0x3F_FFFF)
    }
}

/// Why a store was not filled with sample rows.
struct SampleError: Error, CustomStringConvertible {
    let path: String
    let table: String

    var description: String {
        "cannot fill the store \(path): its table \(table) has rows already (sample rows only go into an empty "
            + "store: name another directory with --state-dir)"
    }
}
