extension ServerApp {
    /// Stringer, with times as Rails has them since 2024.
    static let stringer = ServerApp(
        preset: "stringer", rule: "stories",
        schema: """
            CREATE TABLE users (id serial PRIMARY KEY, username varchar NOT NULL);
            CREATE TABLE feeds (id serial PRIMARY KEY, name varchar, url text, last_fetched timestamp, created_at timestamp, updated_at timestamp,
                status int, group_id int, user_id bigint NOT NULL REFERENCES users (id));
            CREATE UNIQUE INDEX index_feeds_on_url_and_user_id ON feeds (url, user_id);
            CREATE TABLE stories (id serial PRIMARY KEY, title text, permalink text, body text, feed_id int NOT NULL,
                created_at timestamp(6), updated_at timestamp(6), published timestamp(6), is_read boolean DEFAULT false,
                keep_unread boolean DEFAULT false, is_starred boolean DEFAULT false, entry_id text, enclosure_url varchar);
            CREATE UNIQUE INDEX index_stories_on_entry_id_and_feed_id ON stories (entry_id, feed_id);

            """,
        rows: """
            INSERT INTO stories (title, entry_id, feed_id, published, is_read, keep_unread, is_starred)
            SELECT title, title, 1, published, read, unread, starred FROM (VALUES
                ('goes: read', \(localAgo(90)), true, false, false),
                ('goes: read long ago', \(localAgo(900)), true, false, false),
                ('stays: young', \(localAgo(89)), true, false, false),
                ('stays: unread', \(localAgo(300)), false, false, false),
                ('stays: perhaps unread', \(localAgo(300)), NULL, false, false),
                ('stays: starred', \(localAgo(300)), true, false, true),
                ('stays: kept unread', \(localAgo(300)), true, true, false),
                ('stays: without a time', NULL, true, false, false)) v (title, published, read, unread, starred);
            """,
        table: "stories", shown: "SELECT title FROM stories")
}
