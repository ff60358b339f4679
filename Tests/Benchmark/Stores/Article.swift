import GRDB
import GRDBSQLite

/// An article of a reading app's store, by its place in the order in which they came.
struct Article {
    /// What is known of an article depends on its index modulo so many.
    static let kinds = 100

    let index: Int

    init(_ index: Int) { self.index = index }

    /// The app counts from 1.
    var id: Int { index + 1 }
    var isRead: Bool { !index.isMultiple(of: 10) }
    var isStarred: Bool { index % 20 == 1 }
    var isLabelled: Bool { index % 50 == 3 }
    var isBookmarked: Bool { index % 100 == 7 }
    /// Whether nothing but its age decides.
    var isUnprotected: Bool { isRead && !isStarred && !isLabelled && !isBookmarked }

    func guid(feed: Int) -> String { "https://feed\(feed).example/\(index)" }
    var title: String { "Article \(index), with a title as most have" }

    static let insertion = """
        INSERT INTO article (feed_id, guid, title, received, read, starred) VALUES (?, ?, ?, ?, ?, ?)
        """

    /// One that the app has just fetched. It is of a feed that is new, so that nothing else becomes one of the older of its feed.
    static func fresh(_ index: Int, of recipe: StoreRecipe, at seconds: Int64) -> StatementArguments {
        let feed = recipe.articleFeeds
        let article = Article(recipe.records + index)
        return [feed, article.guid(feed: feed), article.title, seconds, 0, 0]
    }
}

/// The tables and rows of a reading app's store.
struct ArticleFilling {
    let recipe: StoreRecipe
    let timeline: Timeline

    /// As such apps have it: an integer for a key, and an index on the time.
    func createTables(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE article (
                    id INTEGER PRIMARY KEY, feed_id INTEGER, guid TEXT, title TEXT, received INTEGER, read INTEGER,
                    starred INTEGER, deleted INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE label (article INTEGER, name TEXT, PRIMARY KEY (article, name)) WITHOUT ROWID;
                CREATE TABLE bookmark (article INTEGER PRIMARY KEY);
                """)
    }

    func insert(_ db: Database) throws {
        let article = try db.makeStatement(sql: Article.insertion)
        let label = try db.makeStatement(sql: "INSERT INTO label (article, name) VALUES (?, 'later')")
        let bookmark = try db.makeStatement(sql: "INSERT INTO bookmark (article) VALUES (?)")
        for index in 0..<recipe.records {
            let row = Article(index)
            let feed = index % recipe.articleFeeds
            try insert(row, feed: feed, article.sqliteStatement, db)
            if row.isLabelled { try label.execute(arguments: [row.id]) }
            if row.isBookmarked { try bookmark.execute(arguments: [row.id]) }
        }
        try db.execute(sql: "CREATE INDEX article_received ON article (received)")
        if recipe.hasFeedIndex {
            try db.execute(sql: "CREATE INDEX article_feed ON article (feed_id, received)")
        }
    }

    /// By SQLite's own functions, as there are millions.
    private func insert(_ row: Article, feed: Int, _ statement: OpaquePointer, _ db: Database) throws {
        let code = row.guid(feed: feed).withCString { guid in
            row.title.withCString { title in
                sqlite3_bind_int64(statement, 1, Int64(feed))
                sqlite3_bind_text(statement, 2, guid, -1, nil)
                sqlite3_bind_text(statement, 3, title, -1, nil)
                sqlite3_bind_int64(statement, 4, timeline.milliseconds(row.index) / 1_000)
                sqlite3_bind_int64(statement, 5, row.isRead ? 1 : 0)
                sqlite3_bind_int64(statement, 6, row.isStarred ? 1 : 0)
                defer { sqlite3_reset(statement) }
                return sqlite3_step(statement)
            }
        }
        guard code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
        }
    }
}
