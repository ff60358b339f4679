/// The tables of the reading app's store, and how a database with them is recognized.
///
/// Times are whole Unix seconds. The tables refuse a value that cannot be one, such as milliseconds. Every column
/// except those of `feed_source` must have a value. `feed.expires_at` defaults to ``feedLifetime`` after the time of
/// the INSERT, because in SQLite a default cannot depend on another column. Whoever stores an older fetch must set its
/// expiry.
public enum ReaderSchema {
    /// `PRAGMA application_id` of every reading store ("pRdr"), and of no other database.
    public static let applicationID: Int32 = 0x7052_6472
    /// `PRAGMA user_version` of the tables that this library creates.
    public static let version = Int32(steps.count)
    /// How long a feed is fresh, in seconds: `expires_at` is `fetched_at` plus this.
    public static let feedLifetime: Int64 = 30 * 60

    /// The version of the store in the database; 0 if the store has yet to be created. Throws if the database is
    /// neither empty nor a store of at most ``version``.
    ///
    /// Call this in one transaction: between two of its statements another process may create the store.
    static func version(in db: SchemaConnection, path: String) throws -> Int32 {
        let application = try db.number("PRAGMA application_id")
        let version = try db.number("PRAGMA user_version")
        let isEmpty = try db.number("SELECT count(*) FROM sqlite_schema") == 0
        switch (application, version) {
        case (0, 0) where isEmpty: return 0
        case (applicationID, 1...self.version): return version
        case (applicationID, let newer) where newer > self.version:
            throw ReaderStoreError.newer(path: path, version: newer, known: self.version)
        default: throw ReaderStoreError.foreign(path: path)
        }
    }

    /// Whether nothing of this library's tables is missing in a store of this version.
    static func isComplete(_ db: SchemaConnection) throws -> Bool {
        try additions.allSatisfy { try $0.isPresent(in: db) }
    }

    /// Migrates the database from an older version, or from nothing, to ``version``, and makes the additions that are
    /// missing. The caller provides one transaction.
    static func migrate(_ db: SchemaConnection, from version: Int32) throws {
        for step in steps[Int(version)...] { try db.execute(step) }
        for addition in additions where try !addition.isPresent(in: db) { try db.execute(addition.sql) }
        try db.execute(
            "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(self.version)")
    }

    /// The steps from each version to the next. A released step is never changed.
    private static let steps = [tables, sources]

    /// The times that the store accepts, in Unix seconds. It refuses milliseconds.
    package static let times: ClosedRange<Int64> = 946_684_800...253_402_300_799

    private static func time(_ column: String) -> String {
        "\(column) INTEGER NOT NULL CHECK (\(column) BETWEEN \(times.lowerBound) AND \(times.upperBound))"
    }

    // Rows expire oldest first. With ids that follow time and an index by day, entries that expire together are
    // adjacent in the table and in the index, so deleting them is sequential. An index on the second itself is half as
    // fast for such ids, and 25 times slower for ids in random order.
    //
    private static let tables = """
        CREATE TABLE read_record (
            id TEXT NOT NULL PRIMARY KEY,
            \(time("created_at"))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX read_record_day ON read_record (created_at / 86400, id, created_at);

        CREATE TABLE feed (
            tab_id INTEGER PRIMARY KEY,
            \(time("fetched_at")),
            \(time("expires_at")) DEFAULT (unixepoch() + \(feedLifetime))
        ) STRICT;
        CREATE INDEX feed_expires_at ON feed (expires_at);

        CREATE TABLE article (
            tab_id INTEGER NOT NULL REFERENCES feed (tab_id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            title TEXT NOT NULL,
            url TEXT NOT NULL,
            PRIMARY KEY (tab_id, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE user (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            screen_name TEXT NOT NULL,
            profile_image_url_https TEXT NOT NULL
        ) STRICT;

        CREATE TABLE tweet (
            id INTEGER PRIMARY KEY,
            \(time("created_at")),
            text TEXT NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id)
        ) STRICT;
        CREATE INDEX tweet_day ON tweet (created_at / 86400);

        CREATE TABLE item (
            id INTEGER PRIMARY KEY,
            \(time("timestamp"))
        ) STRICT;
        CREATE INDEX item_day ON item (timestamp / 86400);
        """

    /// A part of the schema that is not a version: programs with an older library do not notice it, and go on using the
    /// store.
    private struct Addition {
        /// The object of the schema or the column of `tweet`.
        let name: String
        let sql: String

        func isPresent(in db: SchemaConnection) throws -> Bool {
            try db.number(
                """
                SELECT (SELECT count(*) FROM sqlite_schema WHERE name = '\(name)')
                    + (SELECT count(*) FROM pragma_table_info('tweet') WHERE name = '\(name)')
                """) > 0
        }
    }

    // A column, because an INSERT of an older library leaves it at its default, and its update of a tweet as it is.
    //
    // The index is for deletions of users, each of which must find out whether a tweet refers to it.
    private static let additions = [
        Addition(
            name: "starred",
            sql: "ALTER TABLE tweet ADD COLUMN starred INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1))"),
        Addition(name: "tweet_user", sql: "CREATE INDEX tweet_user ON tweet (user_id)"),
    ]

    // A separate table, because it outlives the cached feed: the address of a tab stays known after the service has
    // deleted its stale feed. The values for conditional requests are valid only while there is a feed.
    private static let sources = """
        CREATE TABLE feed_source (
            tab_id INTEGER PRIMARY KEY,
            url TEXT,
            etag TEXT,
            last_modified TEXT
        ) STRICT;
        """
}
