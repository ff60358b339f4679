import Foundation
import GRDB

/// The timeline and its unread tweets.
extension ReaderTransaction {
    /// Adds a tweet with its user. With `updating`, it replaces a tweet with the same id, which keeps its star. An
    /// existing user is updated, so that a new name appears in all of the user's tweets.
    ///
    /// Throws ``ReaderStoreError/Kind-swift.enum/exists`` if there is a tweet with this id, unless `updating`. This and
    /// unsupported values are detected before anything is changed, including the user.
    public func add(_ tweet: Tweet, updating: Bool = false) throws(ReaderStoreError) {
        let operation = "add tweet \(tweet.id) to"
        try expectStorable(tweet.text, to: operation)
        try expectStorable(tweet.createdAt, to: operation)
        if !updating, try hasTweet(tweet.id) {
            throw ReaderStoreError(
                kind: .exists, operation: operation, path: path, cause: "it exists already",
                hint: "update it instead")
        }
        try save(tweet.user)
        try doing(operation) { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO tweet (id, created_at, text, user_id) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
                    SET created_at = excluded.created_at, text = excluded.text, user_id = excluded.user_id
                    """
            ).execute(arguments: [tweet.id, tweet.createdAt.storeSeconds, tweet.text, tweet.user.id])
        }
    }

    private func hasTweet(_ id: Tweet.ID) throws(ReaderStoreError) -> Bool {
        try doing("look for tweet \(id) in") { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM tweet WHERE id = ?)"
            return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? false
        }
    }

    /// Saves a user. Replaces an existing one with the same id. The service deletes users without tweets, so save a
    /// user in the transaction that adds the first one; ``add(_:updating:)`` does.
    public func save(_ user: User) throws(ReaderStoreError) {
        try expectStorable(user.name, user.screenName, user.profileImageURL, to: "save user \(user.id) in")
        try doing("save user \(user.id) in") { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO user (id, name, screen_name, profile_image_url_https) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, screen_name = excluded.screen_name,
                        profile_image_url_https = excluded.profile_image_url_https
                    """
            ).execute(arguments: [user.id, user.name, user.screenName, user.profileImageURL])
        }
    }

    /// Stars a tweet: the service does not delete it, however old it becomes, nor its read record. Starring again does
    /// nothing. A batch deletion of the app's deletes it all the same.
    public func star(_ id: Tweet.ID) throws(ReaderStoreError) { try setStar(id, true, to: "star") }

    /// Removes the star of a tweet, which then expires like all others.
    public func unstar(_ id: Tweet.ID) throws(ReaderStoreError) { try setStar(id, false, to: "unstar") }

    private func setStar(_ id: Tweet.ID, _ isStarred: Bool, to verb: String) throws(ReaderStoreError) {
        let operation = "\(verb) tweet \(id) in"
        let changes = try doing(operation) { db in
            try db.cachedStatement(sql: "UPDATE tweet SET starred = ? WHERE id = ?")
                .execute(arguments: [isStarred, id])
            return db.changesCount
        }
        guard changes > 0 else { throw .missingTweet(operation, path: path) }
    }

    /// Whether there is a tweet with this id, and it is starred.
    public func isStarred(_ id: Tweet.ID) throws(ReaderStoreError) -> Bool {
        try doing("look for tweet \(id) in") { db in
            let sql = "SELECT starred FROM tweet WHERE id = ?"
            return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? false
        }
    }

    /// The starred tweets, newest first.
    public func starred() throws(ReaderStoreError) -> [Tweet] { try tweets(where: "starred") }

    /// All tweets, newest first.
    public func timeline() throws(ReaderStoreError) -> [Tweet] { try tweets(where: "1") }

    /// The tweets without a read record, newest first.
    public func unread() throws(ReaderStoreError) -> [Tweet] { try tweets(where: Self.isUnread) }

    /// The number of tweets without a read record.
    public func unreadCount() throws(ReaderStoreError) -> Int {
        try doing("count the unread tweets of") { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM tweet WHERE \(Self.isUnread)") ?? 0
        }
    }

    /// Marks a tweet as read, with a record that has the tweet's time. Returns the number of unread tweets.
    @discardableResult
    public func markRead(_ id: Tweet.ID) throws(ReaderStoreError) -> Int {
        let seconds = try doing("mark tweet \(id) as read in") { db in
            try Int64.fetchOne(db, sql: "SELECT created_at FROM tweet WHERE id = ?", arguments: [id])
        }
        guard let seconds else { throw .missingTweet("mark tweet \(id) as read in", path: path) }
        try save(ReadRecord(id: String(id), createdAt: Date(storeSeconds: seconds)))
        return try unreadCount()
    }

    private static let isUnread =
        "NOT EXISTS (SELECT 1 FROM read_record WHERE read_record.id = CAST(tweet.id AS TEXT))"

    private func tweets(where condition: String) throws(ReaderStoreError) -> [Tweet] {
        try doing("load tweets of") { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT tweet.id, created_at, text, user.id, name, screen_name, profile_image_url_https
                    FROM tweet JOIN user ON user.id = tweet.user_id WHERE \(condition)
                    ORDER BY created_at DESC, tweet.id DESC
                    """)
            var tweets: [Tweet] = []
            while let row = try rows.next() {
                let user = User(id: row[3], name: row[4], screenName: row[5], profileImageURL: row[6])
                tweets.append(
                    Tweet(id: row[0], createdAt: Date(storeSeconds: row[1]), text: row[2], user: user))
            }
            return tweets
        }
    }
}

extension ReaderStoreError {
    /// A tweet that is named does not exist.
    fileprivate static func missingTweet(_ operation: String, path: String) -> ReaderStoreError {
        ReaderStoreError(
            kind: .missing, operation: operation, path: path, cause: "there is no such tweet",
            hint: "it may have expired; `reader timeline` shows the others")
    }
}
