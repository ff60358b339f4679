extension AppStore {
    /// yarr 2.5 and 2.6.
    static let yarr = yarr(columns: "media_links json")
    /// yarr 2.0 to 2.4.
    static let yarr24 = yarr(columns: "image text, podcast_url text")

    private static func yarr(columns: String) -> AppStore {
        AppStore(
            preset: "yarr",
            schema: """
                create table feeds (id integer primary key autoincrement, folder_id references folders(id) on delete set null,
                    title text not null, description text, link text, feed_link text not null, icon blob);
                create unique index idx_feed_feed_link on feeds(feed_link);
                create table folders (id integer primary key autoincrement, title text not null);
                create table items (
                    id             integer primary key autoincrement,
                    guid           string not null,
                    feed_id        references feeds(id) on delete cascade,
                    title          text,
                    link           text,
                    description    text,
                    content        text,
                    author         text,
                    date           datetime,
                    date_updated   datetime,
                    date_arrived   datetime,
                    status         integer,
                    search_rowid   integer,
                    \(columns)
                );
                create index idx_item_feed_id on items(feed_id);
                create unique index idx_item_guid on items(feed_id, guid);
                create table feed_sizes (
                    feed_id        references feeds(id) on delete cascade unique,
                    size           integer not null default 0
                );
                create virtual table search using fts4(title, description, content);
                create trigger del_item_search after delete on items begin
                  delete from search where rowid = old.search_rowid;
                end;

                """,
            rows: """
                INSERT INTO feeds (id, title, feed_link) VALUES (1, 'busy', 'busy'), (2, 'gone', 'gone'), (3, 'long', 'long');
                INSERT INTO feed_sizes VALUES (1, 200), (3, 201);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
                INSERT INTO items (guid, title, feed_id, status, date_arrived)
                SELECT i, 'stays: newest ' || i, 1 + i % 3, 1,
                    datetime(\(ago(200)) + i / 3, 'unixepoch') || '.123456789+00:00' FROM n;
                INSERT INTO items (guid, title, feed_id, status, date_arrived)
                SELECT column1, column1, column2, column3, datetime(column4, 'unixepoch') || '.5+00:00' FROM (VALUES
                    ('goes: read', 1, 1, \(ago(300))),
                    ('goes: read, of a feed without a size', 2, 1, \(ago(400))),
                    ('stays: of a feed that lists more than 200', 3, 1, \(ago(400))),
                    ('stays: unread', 1, 0, \(ago(400))),
                    ('stays: starred', 1, 2, \(ago(400))),
                    ('stays: without a time', 1, 1, NULL));
                INSERT INTO search (rowid, title, content) SELECT id, title, 'words ' || id FROM items;
                UPDATE items SET search_rowid = id;
                """,
            table: "items",
            shown: "SELECT title FROM items")
    }
}
