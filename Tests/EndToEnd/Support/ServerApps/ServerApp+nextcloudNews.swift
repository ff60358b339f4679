extension ServerApp {
    /// Nextcloud News up to 28.3.
    static let nextcloudNews = ServerApp(
        preset: "nextcloud-news-postgresql", rule: "articles",
        schema: """
            CREATE TABLE oc_news_folders (id bigserial PRIMARY KEY, parent_id bigint, name varchar(100) NOT NULL,
                user_id varchar(64) NOT NULL DEFAULT '', opened boolean NOT NULL DEFAULT true, deleted_at bigint DEFAULT 0,
                last_modified bigint DEFAULT 0);
            CREATE TABLE oc_news_feeds (id bigserial PRIMARY KEY, user_id varchar(64) NOT NULL DEFAULT '', last_modified bigint DEFAULT 0,
                url_hash varchar(32) NOT NULL, url text NOT NULL, location text, title text, link text, favicon_link text,
                http_last_modified text, added bigint DEFAULT 0, articles_per_update bigint NOT NULL DEFAULT 0,
                update_error_count bigint NOT NULL DEFAULT 0, last_update_error text, basic_auth_user text, basic_auth_password text,
                deleted_at bigint DEFAULT 0, folder_id bigint REFERENCES oc_news_folders (id) ON DELETE CASCADE,
                prevent_update boolean NOT NULL DEFAULT false, pinned boolean NOT NULL DEFAULT false,
                full_text_enabled boolean NOT NULL DEFAULT false, ordering int NOT NULL DEFAULT 0, update_mode int NOT NULL DEFAULT 0,
                next_update_time bigint);
            CREATE TABLE oc_news_items (id bigserial PRIMARY KEY, guid_hash varchar(32) NOT NULL, fingerprint varchar(32),
                content_hash varchar(32), rtl boolean NOT NULL DEFAULT false, search_index text, guid text NOT NULL, url text, title text,
                author text, pub_date bigint, body text, enclosure_mime text, enclosure_link text, media_thumbnail text,
                media_description text, feed_id bigint NOT NULL REFERENCES oc_news_feeds (id) ON DELETE CASCADE,
                unread boolean NOT NULL DEFAULT false, starred boolean NOT NULL DEFAULT false, last_modified bigint DEFAULT 0,
                shared_by varchar(64), categories text);
            CREATE INDEX news_items_last_mod_idx ON oc_news_items (last_modified);
            CREATE INDEX news_items_unread_feed_id ON oc_news_items (unread, feed_id);

            """,
        rows: """
            INSERT INTO oc_news_feeds (id, url_hash, url, articles_per_update)
            VALUES (1, 'a', 'a', 20), (2, 'b', 'b', 201), (3, 'c', 'c', 20);
            INSERT INTO oc_news_items (guid_hash, guid, title, feed_id, last_modified)
            SELECT i, i, 'stays: newest ' || i, 1 + i % 2, (\(secondsAgo(200)) + i) * 1000000 FROM generate_series(0, 399) i;
            INSERT INTO oc_news_items (guid_hash, guid, title, feed_id, unread, starred, shared_by, last_modified)
            SELECT row_number() OVER (), title, title, feed, unread, starred, shared, \(secondsAgo(300)) * 1000000 + 5 FROM (VALUES
                ('goes: read', 1, false, false, NULL),
                ('goes: read, shared by nobody', 1, false, false, ''),
                ('stays: in a small feed', 3, false, false, NULL),
                ('stays: in a feed that lists many', 2, false, false, NULL),
                ('stays: unread', 1, true, false, NULL),
                ('stays: starred', 1, false, true, NULL),
                ('stays: shared', 1, false, false, 'ada')) v (title, feed, unread, starred, shared);
            INSERT INTO oc_news_items (guid_hash, guid, title, feed_id, last_modified)
            VALUES ('n', 'n', 'stays: never changed', 1, 0);
            """,
        table: "oc_news_items", shown: "SELECT title FROM oc_news_items")
}
