extension AppStore {
    static let newsboat = AppStore(
        preset: "newsboat",
        schema: """
            CREATE TABLE rss_feed (rssurl VARCHAR(1024) PRIMARY KEY NOT NULL, url VARCHAR(1024) NOT NULL,
                title VARCHAR(1024) NOT NULL, lastmodified INTEGER(11) NOT NULL DEFAULT 0,
                is_rtl INTEGER(1) NOT NULL DEFAULT 0, etag VARCHAR(128) NOT NULL DEFAULT '');
            CREATE TABLE rss_item (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid VARCHAR(64) NOT NULL,
                title VARCHAR(1024) NOT NULL, author VARCHAR(1024) NOT NULL, url VARCHAR(1024) NOT NULL,
                feedurl VARCHAR(1024) NOT NULL, pubDate INTEGER NOT NULL, content VARCHAR(65535) NOT NULL,
                unread INTEGER(1) NOT NULL, enclosure_url VARCHAR(1024), enclosure_type VARCHAR(1024),
                enqueued INTEGER(1) NOT NULL DEFAULT 0, flags VARCHAR(52), deleted INTEGER(1) NOT NULL DEFAULT 0,
                base VARCHAR(128) NOT NULL DEFAULT '');
            CREATE INDEX idx_guid ON rss_item (guid);
            CREATE INDEX idx_deleted ON rss_item (deleted);

            """,
        rows: """
            INSERT INTO rss_item (guid, title, author, url, feedurl, content, pubDate, unread, flags, enqueued, deleted)
            SELECT column1, column1, 'a', 'u', 'f', 'text', column2, column3, column4, column5, column6 FROM (VALUES
                ('goes: read', \(ago(90)), 0, '', 0, 0),
                ('goes: read, flags never set', \(ago(400)), 0, NULL, 0, 0),
                ('stays: young', \(ago(89)), 0, '', 0, 0),
                ('stays: unread', \(ago(400)), 1, '', 0, 0),
                ('stays: flagged', \(ago(400)), 0, 's', 0, 0),
                ('stays: in the queue', \(ago(400)), 0, '', 1, 0),
                ('stays: without a date', 0, 0, '', 0, 0),
                ('stays: from the future', \(ago(-400)), 0, '', 0, 0),
                ('hidden: deleted by the app', \(ago(400)), 0, '', 0, 1));
            """,
        table: "rss_item",
        shown: "SELECT title FROM rss_item WHERE deleted = 0")
}
