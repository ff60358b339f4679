import DefaultStore
import Foundation
import GRDB

/// The cached feeds.
extension ReaderTransaction {
    /// The cached feed of a tab, fresh or not; nil when there is none.
    public func feed(ofTab tab: Int64) throws(ReaderStoreError) -> CachedFeed? {
        try doing("load the feed of tab \(tab) from") { db in
            let sql = "SELECT fetched_at, expires_at FROM feed WHERE tab_id = ?"
            guard let feed = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [tab]) else {
                return nil
            }
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: "SELECT title, url FROM article WHERE tab_id = ? ORDER BY position"),
                arguments: [tab])
            var articles: [Article] = []
            while let row = try rows.next() { articles.append(Article(title: row[0], url: row[1])) }
            return CachedFeed(
                tab: tab, articles: articles, fetchedAt: Date(storeSeconds: feed[0]),
                expiresAt: Date(storeSeconds: feed[1]))
        }
    }

    /// The tabs with a cached feed, sorted.
    public func tabs() throws(ReaderStoreError) -> [Int64] {
        try doing("list the feeds of") { db in
            try Int64.fetchAll(db, sql: "SELECT tab_id FROM feed ORDER BY tab_id")
        }
    }

    /// Replaces the cached feed of a tab. The new one is fresh for `lifetime` seconds from now. Times are in whole
    /// seconds.
    @discardableResult
    public func replaceFeed(
        ofTab tab: Int64, with articles: [Article], validators: FeedValidators = FeedValidators(),
        lifetime: TimeInterval = TimeInterval(ReaderSchema.feedLifetime)
    ) throws(ReaderStoreError) -> CachedFeed {
        let (fetchedAt, expiresAt) = (now.storeSeconds, now.addingTimeInterval(lifetime).storeSeconds)
        let operation = "store the feed of tab \(tab) in"
        try expectStorable(validators.etag, validators.lastModified, to: operation)
        for article in articles { try expectStorable(article.title, article.url, to: operation) }
        try doing(operation) { db in
            try db.execute(
                sql: """
                    INSERT INTO feed (tab_id, fetched_at, expires_at) VALUES (?, ?, ?)
                    ON CONFLICT (tab_id) DO UPDATE
                    SET fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
                    """, arguments: [tab, fetchedAt, expiresAt])
            try db.execute(sql: "DELETE FROM article WHERE tab_id = ?", arguments: [tab])
            let insert = try db.cachedStatement(
                sql: "INSERT INTO article (tab_id, position, title, url) VALUES (?, ?, ?, ?)")
            for (position, article) in articles.enumerated() {
                try insert.execute(arguments: [tab, position, article.title, article.url])
            }
            try db.execute(
                sql: """
                    INSERT INTO feed_source (tab_id, etag, last_modified) VALUES (?, ?, ?)
                    ON CONFLICT (tab_id) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified
                    """, arguments: [tab, validators.etag, validators.lastModified])
        }
        return CachedFeed(
            tab: tab, articles: articles, fetchedAt: Date(storeSeconds: fetchedAt),
            expiresAt: Date(storeSeconds: expiresAt))
    }

    /// Makes the cached feed of a tab fresh for `lifetime` seconds from now. Returns nil when there is none. The time
    /// of its load does not change, unless it is in the future: then it becomes now.
    public func renewFeed(
        ofTab tab: Int64, lifetime: TimeInterval = TimeInterval(ReaderSchema.feedLifetime)
    ) throws(ReaderStoreError) -> CachedFeed? {
        let (now, expiresAt) = (now.storeSeconds, now.addingTimeInterval(lifetime).storeSeconds)
        try doing("renew the feed of tab \(tab) in") { db in
            try db.execute(
                sql: "UPDATE feed SET fetched_at = min(fetched_at, ?), expires_at = ? WHERE tab_id = ?",
                arguments: [now, expiresAt, tab])
        }
        return try feed(ofTab: tab)
    }

    /// The validators that came with the cached feed of a tab; nil when there is none.
    public func validators(ofTab tab: Int64) throws(ReaderStoreError) -> FeedValidators? {
        try doing("load what tab \(tab) was served with from") { db in
            let row = try Row.fetchOne(
                db,
                sql:
                    "SELECT etag, last_modified FROM feed LEFT JOIN feed_source USING (tab_id) WHERE tab_id = ?",
                arguments: [tab])
            return row.map { FeedValidators(etag: $0[0], lastModified: $0[1]) }
        }
    }

    /// The address of a tab's feed, as the app last set it; nil when it never did.
    public func address(ofTab tab: Int64) throws(ReaderStoreError) -> String? {
        try doing("load the address of tab \(tab) from") { db in
            try String.fetchOne(db, sql: "SELECT url FROM feed_source WHERE tab_id = ?", arguments: [tab])
        }
    }

    /// Sets the address of a tab's feed. If it changes, the cached feed is deleted.
    public func setAddress(_ url: String, ofTab tab: Int64) throws(ReaderStoreError) {
        guard try address(ofTab: tab) != url else { return }
        try expectStorable(url, to: "store the address of tab \(tab) in")
        try doing("store the address of tab \(tab) in") { db in
            try db.execute(sql: "DELETE FROM feed WHERE tab_id = ?", arguments: [tab])
            try db.execute(
                sql: """
                    INSERT INTO feed_source (tab_id, url) VALUES (?, ?)
                    ON CONFLICT (tab_id) DO UPDATE SET url = excluded.url, etag = NULL, last_modified = NULL
                    """, arguments: [tab, url])
        }
    }
}
