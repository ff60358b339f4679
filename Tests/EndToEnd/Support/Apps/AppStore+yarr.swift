extension AppStore {
    static let yarr = AppStore(
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
                media_links    json,
                last_arrived   datetime
            );
            create index idx_item_feed_id on items(feed_id);
            create index idx_item__date_id_status on items(date,id,status);
            create unique index idx_item_guid on items(feed_id, guid);
            create virtual table search using fts4(title, description, content);
            create trigger del_item_search after delete on items begin
              delete from search where rowid = old.search_rowid;
            end;

            """,
        rows: """
            INSERT INTO feeds (id, title, feed_link) VALUES (1, 'busy', 'busy'), (2, 'gone', 'gone');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO items (guid, title, feed_id, status, last_arrived)
            SELECT i, 'stays: newest ' || i, 2, 1, datetime(\(ago(200)), 'unixepoch') || '.123456789+00:00' FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO items (guid, title, feed_id, status, last_arrived)
            SELECT i, 'stays: in the feed ' || i, 1, 1, datetime(unixepoch() - i, 'unixepoch') || '+00:00' FROM n;
            INSERT INTO items (guid, title, feed_id, status, last_arrived)
            SELECT column1, column1, column2, column3, datetime(column4, 'unixepoch') || '.5+00:00' FROM (VALUES
                ('goes: read', 1, 1, \(ago(90))),
                ('goes: read, feed gone', 2, 1, \(ago(400))),
                ('stays: young', 1, 1, \(ago(89))),
                ('stays: unread', 1, 0, \(ago(400))),
                ('stays: starred', 1, 2, \(ago(400))),
                ('stays: arrived when that was not noted', 1, 1, NULL));
            INSERT INTO search (rowid, title, content) SELECT id, title, 'words ' || id FROM items;
            UPDATE items SET search_rowid = id;
            """,
        table: "items",
        shown: "SELECT title FROM items")
}
