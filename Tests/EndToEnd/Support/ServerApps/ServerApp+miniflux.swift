extension ServerApp {
    /// Miniflux from 2.3 on: a deleted entry leaves a tombstone.
    static let miniflux = ServerApp(
        preset: "miniflux", rule: "entries",
        schema: minifluxSchema + """

            CREATE TABLE entry_tombstones (feed_id bigint NOT NULL REFERENCES feeds (id) ON DELETE CASCADE, hash text NOT NULL CHECK (hash <> ''),
                deleted_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (feed_id, hash));
            CREATE INDEX entry_tombstones_deleted_at_idx ON entry_tombstones (deleted_at);

            """,
        rows: minifluxRows, table: "entries", shown: "SELECT title FROM entries")

    /// Miniflux before: a deleted entry is one with the status "removed".
    static let minifluxStatus = ServerApp(
        preset: "miniflux-status", rule: "entries", schema: minifluxSchema, rows: minifluxRows,
        table: "entries",
        shown: "SELECT title FROM entries WHERE status IS DISTINCT FROM 'removed'")

    private static let minifluxSchema = """
        CREATE TABLE users (id serial PRIMARY KEY, username text NOT NULL UNIQUE);
        CREATE TABLE categories (id serial PRIMARY KEY, user_id int NOT NULL REFERENCES users (id) ON DELETE CASCADE, title text NOT NULL, UNIQUE (user_id, title));
        CREATE TABLE feeds (id bigserial PRIMARY KEY, user_id int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            category_id int NOT NULL REFERENCES categories (id) ON DELETE CASCADE, title text NOT NULL, feed_url text NOT NULL,
            checked_at timestamptz DEFAULT now(), UNIQUE (user_id, feed_url));
        CREATE TYPE entry_status AS ENUM ('unread', 'read', 'removed');
        CREATE TABLE entries (
            id bigserial PRIMARY KEY, user_id int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            feed_id bigint NOT NULL REFERENCES feeds (id) ON DELETE CASCADE, hash text NOT NULL,
            published_at timestamptz NOT NULL, title text NOT NULL, url text NOT NULL, author text, content text,
            status entry_status DEFAULT 'unread', starred boolean DEFAULT false, comments_url text DEFAULT '',
            document_vectors tsvector, changed_at timestamptz NOT NULL, share_code text NOT NULL DEFAULT '',
            reading_time int NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT now(), tags text[] DEFAULT '{}',
            UNIQUE (feed_id, hash));
        CREATE INDEX entries_feed_idx ON entries (feed_id);
        CREATE INDEX document_vectors_idx ON entries USING gin (document_vectors);
        CREATE UNIQUE INDEX entries_share_code_idx ON entries (share_code) WHERE share_code <> '';
        CREATE INDEX entries_user_status_created_idx ON entries (user_id, status, created_at);
        CREATE TABLE enclosures (
            id bigserial PRIMARY KEY, user_id int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            entry_id bigint NOT NULL REFERENCES entries (id) ON DELETE CASCADE, url text NOT NULL, size bigint DEFAULT 0,
            mime_type text DEFAULT '', media_progression int DEFAULT 0);
        CREATE UNIQUE INDEX enclosures_user_entry_url_unique_idx ON enclosures (user_id, entry_id, md5(url));
        CREATE INDEX enclosures_entry_id_idx ON enclosures (entry_id);

        """

    private static let minifluxRows = """
        INSERT INTO users (username) VALUES ('ada');
        INSERT INTO categories (user_id, title) VALUES (1, 'all');
        INSERT INTO feeds (user_id, category_id, title, feed_url) VALUES (1, 1, 'a', 'a');
        INSERT INTO entries (user_id, feed_id, hash, published_at, title, url, status, starred, share_code, created_at, changed_at)
        SELECT 1, 1, md5(title), \(ago(500)), title, 'u', status::entry_status, starred, share, \(ago(400)), changed
        FROM (VALUES
            ('goes: read', 'read', false, '', \(ago(90))),
            ('goes: read long ago, with an enclosure', 'read', false, '', \(ago(300))),
            ('stays: young', 'read', false, '', \(ago(89))),
            ('stays: unread', 'unread', false, '', \(ago(300))),
            ('stays: without a status', NULL, false, '', \(ago(300))),
            ('stays: starred', 'read', true, '', \(ago(300))),
            ('stays: perhaps starred', 'read', NULL, '', \(ago(300))),
            ('stays: shared', 'read', false, 'code', \(ago(300)))) v (title, status, starred, share, changed);
        INSERT INTO enclosures (user_id, entry_id, url) SELECT 1, id, 'e' FROM entries;
        """
}
