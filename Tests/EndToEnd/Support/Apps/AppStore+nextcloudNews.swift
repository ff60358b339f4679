extension AppStore {
    static let nextcloudNews = AppStore(
        preset: "nextcloud-news",
        schema: """
            CREATE TABLE oc_news_folders (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL);
            CREATE TABLE oc_news_feeds (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
                user_id VARCHAR(64) DEFAULT '' NOT NULL, last_modified BIGINT UNSIGNED DEFAULT 0,
                url_hash VARCHAR(32) NOT NULL, url CLOB NOT NULL, location CLOB DEFAULT NULL, title CLOB DEFAULT NULL,
                link CLOB DEFAULT NULL, favicon_link CLOB DEFAULT NULL, http_last_modified CLOB DEFAULT NULL,
                added BIGINT UNSIGNED DEFAULT 0, articles_per_update BIGINT DEFAULT 0 NOT NULL,
                update_error_count BIGINT DEFAULT 0 NOT NULL, last_update_error CLOB DEFAULT NULL,
                basic_auth_user CLOB DEFAULT NULL, basic_auth_password CLOB DEFAULT NULL,
                deleted_at BIGINT UNSIGNED DEFAULT 0, prevent_update BOOLEAN DEFAULT 0 NOT NULL,
                pinned BOOLEAN DEFAULT 0 NOT NULL, full_text_enabled BOOLEAN DEFAULT 0 NOT NULL,
                ordering INTEGER DEFAULT 0 NOT NULL, update_mode INTEGER DEFAULT 0 NOT NULL,
                folder_id BIGINT UNSIGNED DEFAULT NULL, next_update_time BIGINT DEFAULT NULL,
                CONSTRAINT FK_1 FOREIGN KEY (folder_id) REFERENCES oc_news_folders (id) ON DELETE CASCADE
                    NOT DEFERRABLE INITIALLY IMMEDIATE);
            CREATE TABLE oc_news_items (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid_hash VARCHAR(32) NOT NULL,
                fingerprint VARCHAR(32) DEFAULT NULL, content_hash VARCHAR(32) DEFAULT NULL,
                rtl BOOLEAN DEFAULT 0 NOT NULL, search_index CLOB DEFAULT NULL, guid CLOB NOT NULL, url CLOB DEFAULT NULL,
                title CLOB DEFAULT NULL, author CLOB DEFAULT NULL, pub_date BIGINT DEFAULT NULL, body CLOB DEFAULT NULL,
                enclosure_mime CLOB DEFAULT NULL, enclosure_link CLOB DEFAULT NULL, media_thumbnail CLOB DEFAULT NULL,
                media_description CLOB DEFAULT NULL, feed_id BIGINT UNSIGNED NOT NULL, unread BOOLEAN DEFAULT 0 NOT NULL,
                starred BOOLEAN DEFAULT 0 NOT NULL, last_modified BIGINT DEFAULT 0, shared_by VARCHAR(64) DEFAULT NULL,
                categories CLOB DEFAULT NULL,
                CONSTRAINT FK_2 FOREIGN KEY (feed_id) REFERENCES oc_news_feeds (id) ON DELETE CASCADE
                    NOT DEFERRABLE INITIALLY IMMEDIATE);
            CREATE INDEX news_items_last_mod_idx ON oc_news_items (last_modified);
            CREATE INDEX news_items_unread_feed_id ON oc_news_items (unread, feed_id);

            """,
        rows: """
            INSERT INTO oc_news_feeds (id, url_hash, url, articles_per_update)
            VALUES (1, 'a', 'a', 20), (2, 'b', 'b', 201), (3, 'c', 'c', 20);
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
            INSERT INTO oc_news_items (guid_hash, guid, title, feed_id, last_modified)
            SELECT i, i, 'stays: newest ' || i, 1 + i % 2, (\(ago(200)) + i) * 1000000 FROM n;
            INSERT INTO oc_news_items (guid_hash, guid, title, feed_id, unread, starred, shared_by, last_modified)
            SELECT column1, column1, column1, column2, column3, column4, column5, \(ago(300)) * 1000000 + 5 FROM (VALUES
                ('goes: read', 1, 0, 0, NULL),
                ('goes: read, shared by nobody', 1, 0, 0, ''),
                ('stays: in a small feed', 3, 0, 0, NULL),
                ('stays: in a feed that lists many', 2, 0, 0, NULL),
                ('stays: unread', 1, 1, 0, NULL),
                ('stays: starred', 1, 0, 1, NULL),
                ('stays: shared', 1, 0, 0, 'ada'));
            INSERT INTO oc_news_items (guid_hash, guid, title, feed_id, last_modified)
            VALUES ('n', 'n', 'stays: never changed', 1, 0);
            """,
        table: "oc_news_items",
        shown: "SELECT title FROM oc_news_items")
}
