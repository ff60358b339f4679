extension AppStore {
    static let fusion = AppStore(
        preset: "fusion",
        schema: """
            CREATE TABLE feeds (id INTEGER PRIMARY KEY, name TEXT NOT NULL, link TEXT NOT NULL UNIQUE);
            CREATE TABLE items (
                id INTEGER PRIMARY KEY,
                feed_id INTEGER NOT NULL REFERENCES feeds(id) ON UPDATE CASCADE ON DELETE CASCADE,
                guid TEXT NOT NULL,
                title TEXT DEFAULT '',
                link TEXT DEFAULT '',
                content TEXT DEFAULT '',
                pub_date INTEGER DEFAULT 0,
                unread INTEGER DEFAULT 1,
                created_at INTEGER NOT NULL DEFAULT (unixepoch())
            );
            CREATE UNIQUE INDEX idx_items_feed_guid ON items(feed_id, guid);
            CREATE INDEX idx_items_unread ON items(unread) WHERE unread = 1;
            CREATE VIRTUAL TABLE items_fts USING fts5(title, content, tokenize = 'unicode61');
            CREATE TRIGGER items_fts_items_ai AFTER INSERT ON items BEGIN
                INSERT INTO items_fts(rowid, title, content) VALUES (new.id, new.title, new.content);
            END;
            CREATE TRIGGER items_fts_items_ad AFTER DELETE ON items BEGIN
                DELETE FROM items_fts WHERE rowid = old.id;
            END;
            CREATE TRIGGER items_fts_items_au AFTER UPDATE ON items BEGIN
                DELETE FROM items_fts WHERE rowid = old.id;
                INSERT INTO items_fts(rowid, title, content) VALUES (new.id, new.title, new.content);
            END;
            CREATE TABLE bookmarks (id INTEGER PRIMARY KEY,
                item_id INTEGER REFERENCES items(id) ON UPDATE CASCADE ON DELETE SET NULL, link TEXT NOT NULL UNIQUE,
                title TEXT DEFAULT '', content TEXT DEFAULT '', pub_date INTEGER DEFAULT 0, feed_name TEXT DEFAULT '',
                created_at INTEGER NOT NULL DEFAULT (unixepoch()));

            """,
        rows: """
            INSERT INTO feeds VALUES (1, 'f', 'f');
            INSERT INTO items (feed_id, guid, title, content, created_at, unread)
            SELECT 1, column1, column1, 'words', column2, column3 FROM (VALUES
                ('goes: read', \(ago(90)), 0),
                ('goes: read long ago', \(ago(400)), 0),
                ('stays: young', \(ago(89)), 0),
                ('stays: unread', \(ago(400)), 1),
                ('stays: read or not', \(ago(400)), NULL),
                ('stays: bookmarked', \(ago(400)), 0));
            INSERT INTO bookmarks (item_id, link) SELECT id, 'l' FROM items WHERE title = 'stays: bookmarked';
            INSERT INTO bookmarks (item_id, link) VALUES (NULL, 'gone');
            """,
        table: "items",
        shown: "SELECT title FROM items WHERE content <> ''")
}
