extension AppStore {
    static let quiteRSS = AppStore(
        preset: "quiterss",
        schema: """
            CREATE TABLE feeds (id integer primary key, text varchar, unread integer, undeleteCount integer);
            CREATE TABLE news (id integer primary key, feedId integer, guid varchar, guidislink varchar default 'true',
                description varchar, content varchar, title varchar, published varchar, modified varchar,
                received varchar, author_name varchar, author_uri varchar, author_email varchar, category varchar,
                label varchar, new integer default 1, read integer default 0, starred integer default 0,
                deleted integer default 0, attachment varchar, comments varchar, enclosure_length, enclosure_type,
                enclosure_url, source varchar, link_href varchar, link_enclosure varchar, link_related varchar,
                link_alternate varchar, contributor varchar, rights varchar, deleteDate varchar,
                feedParentId integer default 0);
            CREATE INDEX feedId ON news (feedId);

            """,
        rows: """
            INSERT INTO news (feedId, guid, title, description, content, new, received, read, starred, label, deleted)
            SELECT 1, column1, column1, 'text', 'text', 0, strftime('%Y-%m-%dT%H:%M:%S', column2, 'unixepoch'), column3,
                column4, column5, column6 FROM (VALUES
                ('goes: read', \(ago(91)), 2, 0, NULL, 0),
                ('goes: read just now', \(ago(400)), 1, 0, '', 0),
                ('goes: labels taken away', \(ago(400)), 2, 0, ',', 0),
                ('stays: young', \(ago(89)), 2, 0, NULL, 0),
                ('stays: young in the last zone', \(ago(90)), 2, 0, NULL, 0),
                ('stays: unread', \(ago(400)), 0, 0, NULL, 0),
                ('stays: starred', \(ago(400)), 2, 1, NULL, 0),
                ('stays: labelled', \(ago(400)), 2, 0, ',1,', 0),
                ('stays: in the bin', \(ago(400)), 2, 0, NULL, 1));
            INSERT INTO news (title, received, read, starred, deleted) VALUES ('stays: without a date', '', 2, 0, 0),
                ('stays: date unknown', NULL, 2, 0, 0), ('hidden: cleaned up by the app', '', '', '', 2);
            """,
        table: "news",
        shown: "SELECT title FROM news WHERE deleted < 2")
}
