extension ServerApp {
    /// FreshRSS, of the user ada.
    static let freshRSS = ServerApp(
        preset: "freshrss-postgresql", rule: "articles",
        schema: """
            CREATE TABLE freshrss_admin_category (id serial PRIMARY KEY, name varchar(191) UNIQUE NOT NULL, kind smallint DEFAULT 0,
                "lastUpdate" bigint DEFAULT 0, error smallint DEFAULT 0, attributes text);
            CREATE TABLE freshrss_admin_feed (id serial PRIMARY KEY, url varchar(32768) NOT NULL, kind smallint DEFAULT 0, category int DEFAULT 0
                REFERENCES freshrss_admin_category (id) ON DELETE SET NULL ON UPDATE CASCADE, name varchar(191) NOT NULL,
                website varchar(32768), description text, "lastUpdate" bigint DEFAULT 0, priority smallint NOT NULL DEFAULT 10,
                "pathEntries" varchar(4096), "httpAuth" varchar(1024), error smallint DEFAULT 0, ttl int NOT NULL DEFAULT 0,
                attributes text, "cache_nbEntries" int DEFAULT 0, "cache_nbUnreads" int DEFAULT 0);
            CREATE TABLE freshrss_admin_entry (id bigint NOT NULL PRIMARY KEY, guid varchar(767) NOT NULL, title varchar(8192) NOT NULL,
                author varchar(1024), content text, link varchar(16383) NOT NULL, date bigint, "lastSeen" bigint DEFAULT 0, hash bytea,
                is_read smallint NOT NULL DEFAULT 0, is_favorite smallint NOT NULL DEFAULT 0,
                id_feed int REFERENCES freshrss_admin_feed (id) ON DELETE CASCADE ON UPDATE CASCADE, tags varchar(2048), attributes text,
                UNIQUE (id_feed, guid));
            CREATE INDEX freshrss_admin_is_favorite_index ON freshrss_admin_entry (is_favorite);
            CREATE INDEX freshrss_admin_is_read_index ON freshrss_admin_entry (is_read);
            CREATE INDEX "freshrss_admin_entry_lastSeen_index" ON freshrss_admin_entry ("lastSeen");
            CREATE INDEX freshrss_admin_entry_feed_read_index ON freshrss_admin_entry (id_feed, is_read);
            CREATE TABLE freshrss_admin_tag (id serial PRIMARY KEY, name varchar(191) UNIQUE NOT NULL, attributes text);
            CREATE TABLE freshrss_admin_entrytag (id_tag int REFERENCES freshrss_admin_tag (id) ON DELETE CASCADE ON UPDATE CASCADE,
                id_entry bigint REFERENCES freshrss_admin_entry (id) ON DELETE CASCADE ON UPDATE CASCADE, PRIMARY KEY (id_tag, id_entry));
            CREATE INDEX freshrss_admin_entrytag_id_entry_index ON freshrss_admin_entrytag (id_entry);

            """,
        rows: """
            INSERT INTO freshrss_admin_feed (id, url, name, category) VALUES (1, 'a', 'a', NULL), (2, 'b', 'b', NULL);
            INSERT INTO freshrss_admin_entry (id, guid, title, link, is_read, id_feed, "lastSeen")
            SELECT i, i, 'stays: in the feed ' || i, 'l', 1, 1, \(secondsAgo(0)) - i FROM generate_series(1, 50) i;
            INSERT INTO freshrss_admin_entry (id, guid, title, link, is_read, id_feed, "lastSeen")
            SELECT 100 + i, i, 'stays: newest of a feed that is gone ' || i, 'l', 1, 2, \(secondsAgo(350)) - i FROM generate_series(1, 50) i;
            INSERT INTO freshrss_admin_entry (id, guid, title, link, id_feed, is_read, is_favorite, "lastSeen")
            SELECT 1000 + row_number() OVER (), title, title, 'l', feed, read, favourite, seen FROM (VALUES
                ('goes: read', 1, 1, 0, \(secondsAgo(90))),
                ('goes: read, feed gone', 2, 1, 0, \(secondsAgo(400))),
                ('stays: young', 1, 1, 0, \(secondsAgo(89))),
                ('stays: unread', 1, 0, 0, \(secondsAgo(400))),
                ('stays: favourite', 1, 1, 1, \(secondsAgo(400))),
                ('stays: labelled', 1, 1, 0, \(secondsAgo(400))),
                ('stays: never seen', 1, 1, 0, 0)) v (title, feed, read, favourite, seen);
            INSERT INTO freshrss_admin_tag (id, name) VALUES (1, 'label');
            INSERT INTO freshrss_admin_entrytag SELECT 1, id FROM freshrss_admin_entry WHERE title = 'stays: labelled';
            """,
        table: "freshrss_admin_entry", shown: "SELECT title FROM freshrss_admin_entry")
}
