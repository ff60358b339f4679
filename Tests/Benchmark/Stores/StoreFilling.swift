import GRDB
import GRDBSQLite
import ReaderStore

/// Makes the store of a recipe.
struct StoreFilling {
    let recipe: StoreRecipe

    private var timeline: Timeline { Timeline(records: recipe.records) }

    /// Makes the file at `path`, without a journal beside it.
    func make(at path: String) throws {
        let store = try recipe.schema.open(at: path)
        let articles = ArticleFilling(recipe: recipe, timeline: timeline)
        if recipe.schema == .usual { try createUsualTable(store) }
        if recipe.schema == .articles { try store.write(articles.createTables) }
        try store.writeWithoutTransaction { db in
            // Nothing reads along, and a half-made file is thrown away: no journal is needed.
            try db.execute(
                sql: "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try db.execute(sql: "PRAGMA cache_size = -3000000")
            try db.inTransaction {
                if recipe.schema == .articles {
                    try articles.insert(db)
                } else {
                    try insertReadRecords(db)
                }
                if recipe.schema == .reader {
                    try insertTimeline(db)
                    try insertFeeds(db)
                }
                return .commit
            }
            try db.execute(sql: "PRAGMA journal_mode = \(recipe.journal.rawValue)")
        }
        try store.close()
    }

    private func createUsualTable(_ store: DatabaseQueue) throws {
        try store.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE read_record (id TEXT PRIMARY KEY, created_at INTEGER);
                    CREATE INDEX read_record_created_at ON read_record (created_at);
                    """)
        }
    }

    /// By SQLite's own functions, several times faster than statements with arguments: there are tens of millions.
    private func insertReadRecords(_ db: Database) throws {
        let insert = try db.makeStatement(sql: "INSERT INTO read_record (id, created_at) VALUES (?, ?)")
        for index in recipe.insertionOrder {
            let time = timeline.milliseconds(index)
            let code = recipe.ids.id(index, at: time).withCString { id in
                sqlite3_bind_text(insert.sqliteStatement, 1, id, -1, nil)
                sqlite3_bind_int64(insert.sqliteStatement, 2, time / 1_000)
                defer { sqlite3_reset(insert.sqliteStatement) }
                return sqlite3_step(insert.sqliteStatement)
            }
            guard code == SQLITE_DONE else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
            }
        }
    }

    /// A tweet for every tenth record that is not expired, and as many items, after the old ones. Half of these tweets
    /// have a record that marks them as read. Older tweets are gone, as their rule runs before that of the records,
    /// unless the recipe asks for them.
    private func insertTimeline(_ db: Database) throws {
        let users: Int64 = 1_000
        let user = try db.makeStatement(
            sql: "INSERT INTO user (id, name, screen_name, profile_image_url_https) VALUES (?, ?, ?, ?)")
        for id in 1...users {
            try user.execute(arguments: [
                id, "Reader \(id)", "reader\(id)", "https://images.example/profile/\(id).png",
            ])
        }
        let tweet = try db.makeStatement(
            sql: "INSERT INTO tweet (id, created_at, text, user_id) VALUES (?, ?, ?, ?)")
        let item = try db.makeStatement(sql: "INSERT INTO item (id, timestamp) VALUES (?, ?)")
        for index in 0..<recipe.oldItems {
            try item.execute(arguments: [index + 1, Timeline.old(index, of: recipe.oldItems)])
        }
        for index in recipe.markedRecords {
            let time = timeline.milliseconds(index)
            let unread: Int64 = index.isMultiple(of: 20) ? 0 : 1
            try tweet.execute(arguments: [
                RecordIDs.snowflake(index, at: time) ^ unread, time / 1_000,
                "Tweet \(index), about as long as most of what people write in a timeline.",
                Int64(noise(index) % UInt64(users)) + 1,
            ])
            try item.execute(arguments: [recipe.oldItems + index + 1, time / 1_000])
        }
    }

    private func insertFeeds(_ db: Database) throws {
        let feed = try db.makeStatement(
            sql: "INSERT INTO feed (tab_id, fetched_at, expires_at) VALUES (?, ?, ?)")
        let article = try db.makeStatement(
            sql: "INSERT INTO article (tab_id, position, title, url) VALUES (?, ?, ?, ?)")
        for tab in 0..<recipe.feeds {
            let expiry = tab.isMultiple(of: 2) ? Timeline.end : Self.farFuture
            let expiresAt = expiry - Int64(noise(tab) % 80_000)
            try feed.execute(arguments: [
                tab + 1, min(expiresAt - ReaderSchema.feedLifetime, Timeline.start), expiresAt,
            ])
            for position in 0..<StoreRecipe.articlesPerFeed {
                try article.execute(arguments: [
                    tab + 1, position, "Article \(position) of feed \(tab)",
                    "https://feed\(tab).example/\(position)",
                ])
            }
        }
    }

    /// The year 2100: a fresh feed of today would be stale by the time that a kept store is used again.
    private static let farFuture: Int64 = 4_102_444_800
}

extension StoreRecipe.Schema {
    /// A connection as an app of this schema has.
    func open(at path: String) throws -> DatabaseQueue {
        switch self {
        case .reader: return try ReaderStore.open(at: path)
        case .usual, .articles:
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }
}
