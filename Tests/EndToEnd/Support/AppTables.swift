/// Tables as apps have them.
struct AppTables: CustomStringConvertible, Sendable {
    let name: String
    /// The tables, filled from `n`: `i` counts from 0, and `at` are seconds since 1970, an hour apart until now.
    let sql: String

    init(_ name: String, _ sql: String) { (self.name, self.sql) = (name, sql) }

    var description: String { name }

    static let all = flags + times + relations + others

    private static let flags = [
        AppTables(
            "status words, a star and a share",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, status TEXT, starred INT, share_code TEXT, created_at INT);
            CREATE TABLE enclosures (entry_id INT REFERENCES entries (id) ON DELETE CASCADE, url TEXT);
            CREATE INDEX e ON enclosures (entry_id);
            INSERT INTO entries SELECT i, iif(i % 3, 'read', 'unread'), i % 5 = 0, iif(i % 7, '', 'x' || i), at FROM n;
            INSERT INTO enclosures SELECT i, 'u' FROM n;
            """),
        AppTables(
            "words for yes and no",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, created_at INT, unread TEXT, starred TEXT, kept TEXT);
            INSERT INTO entries SELECT i, at, iif(i % 2, 'true', 'false'), iif(i % 3, 'no', 'Yes'), iif(i % 5, 'N', 'Y') FROM n;
            """),
        AppTables(
            "to read later",
            """
            CREATE TABLE articles (id INTEGER PRIMARY KEY, published INT, to_read INT, readLater TEXT, isread INT);
            INSERT INTO articles SELECT i, at, i % 3 = 0, iif(i % 4, 'false', 'true'), i % 2 FROM n;
            """),
        AppTables(
            "numbers for states",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, date TEXT, last_arrived TEXT, status INT);
            INSERT INTO items SELECT i, datetime(at, 'unixepoch'), datetime(at, 'unixepoch'), i % 3 FROM n;
            """),
        AppTables(
            "unread and starred, in two clocks",
            """
            CREATE TABLE oc_items (id INTEGER PRIMARY KEY, pub_date INT, last_modified INT, unread INT, starred INT);
            INSERT INTO oc_items SELECT i, at, at * 1000000, i % 2, i % 3 = 0 FROM n;
            """),
        AppTables(
            "letters beside unread",
            """
            CREATE TABLE rss_entry (id INTEGER PRIMARY KEY, guid TEXT, pubDate INT, unread INT, flags TEXT, deleted INT);
            INSERT INTO rss_entry SELECT i, 'g' || i, at, i % 2, iif(i % 5, NULL, 's'), 0 FROM n;
            """),
        AppTables(
            "mail flags in bits",
            """
            CREATE TABLE messages (id INTEGER PRIMARY KEY, date INT, flags INT);
            INSERT INTO messages SELECT i, at, i % 8 FROM n;
            """),
        AppTables(
            "mail flags in letters",
            """
            CREATE TABLE messages (id INTEGER PRIMARY KEY, date INT, flags TEXT);
            INSERT INTO messages SELECT i, at, iif(i % 2, 'S', '') FROM n;
            """),
        AppTables(
            "a category, a star, unread in text dates",
            """
            CREATE TABLE news (id INTEGER PRIMARY KEY, received TEXT, read INT, starred INT, label TEXT, deleted INT);
            INSERT INTO news SELECT i, strftime('%Y-%m-%dT%H:%M:%S', at, 'unixepoch'), i % 3, i % 5 = 0,
                iif(i % 7, ',', ',1,'), 0 FROM n;
            """),
        AppTables(
            "marked and read, in real numbers",
            """
            CREATE TABLE messages (id INTEGER PRIMARY KEY, date REAL, read_flag INT, marked_flag INT, deleted_flag INT);
            INSERT INTO messages SELECT i, at + 0.5, i % 2, i % 3 = 0, 0 FROM n;
            """),
        AppTables(
            "kept unread",
            """
            CREATE TABLE stories (id INTEGER PRIMARY KEY, published INT, is_read INT, is_starred INT, keep_unread INT);
            INSERT INTO stories SELECT i, at, i % 2, i % 3 = 0, i % 5 = 0 FROM n;
            """),
        AppTables(
            "archived",
            """
            CREATE TABLE entry (id INTEGER PRIMARY KEY, created_at INT, is_archived INT, is_starred INT, archived_at INT);
            INSERT INTO entry SELECT i, at, i % 2, i % 3 = 0, iif(i % 2, at, NULL) FROM n;
            """),
        AppTables(
            "a star in the 120th column",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT,
                \((3..<120).map { "c\($0)" }.joined(separator: ", ")), starred TEXT);
            INSERT INTO items (id, created_at, starred) SELECT i, at, iif(i % 3, NULL, 'x') FROM n;
            """),
    ]

    private static let times = [
        AppTables(
            "times of reading and of a star",
            """
            CREATE TABLE articles (id INTEGER PRIMARY KEY, published_at INT, read_at INT, starred_at INT);
            INSERT INTO articles SELECT i, at, iif(i % 2, at + 60, NULL), iif(i % 5, NULL, at + 90) FROM n;
            """),
        AppTables(
            "zero for never",
            """
            CREATE TABLE list_item (id INTEGER PRIMARY KEY, time_added INT, time_read INT, favorite INT);
            INSERT INTO list_item SELECT i, at, iif(i % 2, at + 60, 0), i % 5 = 0 FROM n;
            """),
        AppTables(
            "the year 1 for never",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at TEXT, read_at TEXT);
            INSERT INTO items SELECT i, datetime(at, 'unixepoch'),
                iif(i % 2, datetime(at, 'unixepoch'), '0001-01-01 00:00:00+00:00') FROM n;
            """),
        AppTables(
            "an empty text for never",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, read_at TEXT, saved_at TEXT);
            INSERT INTO items SELECT i, iif(i % 2, datetime(at, 'unixepoch'), ''),
                iif(i % 5, '', datetime(at, 'unixepoch')) FROM n;
            """),
        AppTables(
            "only what was starred has a time",
            """
            CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT, starred_at INT);
            INSERT INTO pages SELECT i, 'u' || i, iif(i % 2, at, NULL) FROM n;
            """),
        AppTables(
            "what is due",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT, due_at INT);
            INSERT INTO items SELECT i, at, at + 40 * 86400 FROM n;
            """),
        AppTables(
            "cookies, and the token of an item",
            """
            CREATE TABLE cookies (name TEXT, expires INT);
            INSERT INTO cookies SELECT i, at + 20 * 86400 FROM n;
            CREATE TABLE items (id INTEGER PRIMARY KEY, token_expires INT);
            INSERT INTO items SELECT i, at + 20 * 86400 FROM n;
            """),
    ]

    private static let relations = [
        AppTables(
            "labels in a table, with the app's own last sight",
            """
            CREATE TABLE entry (id INTEGER PRIMARY KEY, lastSeen INT, is_read INT, is_favorite INT, tags TEXT);
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE entrytag (id_tag INT REFERENCES tag (id) ON DELETE CASCADE,
                id_entry INT REFERENCES entry (id) ON DELETE CASCADE, PRIMARY KEY (id_tag, id_entry));
            CREATE INDEX et ON entrytag (id_entry);
            INSERT INTO entry SELECT i, at, i % 2, i % 3 = 0, '' FROM n;
            INSERT INTO tag VALUES (1, 'x');
            INSERT INTO entrytag SELECT 1, i FROM n WHERE i % 7 = 0;
            """),
        AppTables(
            "what each user knows of an entry",
            """
            CREATE TABLE tt_entries (id INTEGER PRIMARY KEY, date_updated INT);
            CREATE TABLE tt_user_entries (int_id INTEGER PRIMARY KEY, ref_id INT REFERENCES tt_entries (id) ON DELETE CASCADE,
                unread INT, marked INT, published INT, note TEXT, last_read INT);
            CREATE INDEX u ON tt_user_entries (ref_id);
            INSERT INTO tt_entries SELECT i, at FROM n;
            INSERT INTO tt_user_entries SELECT i, i, i % 2, i % 3 = 0, i % 5 = 0, '', at FROM n;
            """),
        AppTables(
            "states in another table, by the same key",
            """
            CREATE TABLE articles (articleID TEXT PRIMARY KEY, datePublished REAL);
            CREATE TABLE statuses (articleID TEXT PRIMARY KEY, read INT, starred INT, dateArrived REAL);
            INSERT INTO articles SELECT 'a' || i, at + 0.5 FROM n;
            INSERT INTO statuses SELECT 'a' || i, i % 2, i % 3 = 0, at + 0.5 FROM n;
            """),
        AppTables(
            "statuses of users",
            """
            CREATE TABLE FEEDENTRIES (ID INTEGER PRIMARY KEY, UPDATED INT, INSERTED INT);
            CREATE TABLE FEEDENTRYSTATUSES (ID INTEGER PRIMARY KEY, ENTRY_ID INT, READ_STATUS INT, STARRED INT, ENTRYINSERTED INT);
            INSERT INTO FEEDENTRIES SELECT i, at, at FROM n;
            INSERT INTO FEEDENTRYSTATUSES SELECT i, i, i % 2, i % 3 = 0, at FROM n;
            """),
        AppTables(
            "labels by a name that says nothing",
            """
            CREATE TABLE Messages (id INTEGER PRIMARY KEY, is_read INT, is_important INT, date_created INT, custom_id TEXT);
            CREATE TABLE LabelsInMessages (label TEXT, message TEXT);
            INSERT INTO Messages SELECT i, i % 2, i % 3 = 0, at * 1000, 'c' || i FROM n;
            INSERT INTO LabelsInMessages SELECT 'x', 'c' || i FROM n WHERE i % 7 = 0;
            """),
        AppTables(
            "bookmarks by a foreign key",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT, unread INT);
            CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, item_id INT REFERENCES items (id));
            CREATE INDEX b ON bookmarks (item_id);
            INSERT INTO items SELECT i, at, i % 2 FROM n;
            INSERT INTO bookmarks (item_id) SELECT i FROM n WHERE i % 3 = 0;
            """),
        AppTables(
            "a row for each unread entry, without foreign keys",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE unread_entries (entry_id INTEGER PRIMARY KEY);
            CREATE TABLE starred_entries (id INTEGER PRIMARY KEY, entry_id INT);
            CREATE INDEX s ON starred_entries (entry_id);
            INSERT INTO entries SELECT i, at FROM n;
            INSERT INTO unread_entries SELECT i FROM n WHERE i % 2;
            INSERT INTO starred_entries (entry_id) SELECT i FROM n WHERE i % 3 = 0;
            """),
        AppTables(
            "a row for each read entry",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE read_entries (entry_id INTEGER PRIMARY KEY, created_at INT);
            INSERT INTO entries SELECT i, at FROM n;
            INSERT INTO read_entries SELECT i, at FROM n WHERE i % 2;
            """),
        AppTables(
            "a browser's bookmarks, under no name",
            """
            CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, last_visit_date INT);
            CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, fk INT, dateAdded INT);
            INSERT INTO moz_places SELECT i, 'u' || i, at * 1000000 FROM n;
            INSERT INTO moz_bookmarks SELECT i, i, at * 1000000 FROM n WHERE i % 2;
            """),
        AppTables(
            "threads and their posts",
            """
            CREATE TABLE threads (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE posts (id INTEGER PRIMARY KEY, thread INT REFERENCES threads (id) ON DELETE CASCADE, created_at INT,
                seen INT);
            CREATE INDEX p ON posts (thread);
            INSERT INTO threads SELECT i, at FROM n;
            INSERT INTO posts SELECT i, i, at, i % 2 FROM n;
            """),
        AppTables(
            "answers in one table",
            """
            CREATE TABLE comments (id INTEGER PRIMARY KEY, parent INT REFERENCES comments (id) ON DELETE CASCADE, created_at INT);
            INSERT INTO comments SELECT i, nullif(i - 1, -1), at FROM n;
            """),
        AppTables(
            "two tables that refer to each other",
            """
            CREATE TABLE posts (id INTEGER PRIMARY KEY, created_at INT, last INT REFERENCES comments (id));
            CREATE TABLE comments (id INTEGER PRIMARY KEY, created_at INT, post INT REFERENCES posts (id));
            CREATE INDEX a ON posts (last);
            CREATE INDEX b ON comments (post);
            INSERT INTO posts SELECT i, at, i FROM n;
            INSERT INTO comments SELECT i, at, i FROM n;
            """),
        AppTables(
            "two parts that refer to each other",
            """
            CREATE TABLE images (id INTEGER PRIMARY KEY, created_at INT, body INT REFERENCES bodies (id));
            CREATE TABLE bodies (id INTEGER PRIMARY KEY, created_at INT, image INT REFERENCES images (id));
            CREATE INDEX a ON images (body);
            CREATE INDEX b ON bodies (image);
            INSERT INTO images SELECT i, at, i FROM n;
            INSERT INTO bodies SELECT i, at, i FROM n;
            """),
    ]

    private static let others = [
        AppTables(
            "settings, feeds and folders",
            """
            CREATE TABLE settings (key TEXT PRIMARY KEY, value, updated_at INT);
            CREATE TABLE feeds (id INTEGER PRIMARY KEY, url, last_updated INT);
            CREATE TABLE rss_folders (id INTEGER PRIMARY KEY, created_at INT);
            INSERT INTO settings SELECT i, i, at FROM n;
            INSERT INTO feeds SELECT i, i, at FROM n;
            INSERT INTO rss_folders SELECT i, at FROM n;
            """),
        AppTables(
            "notes, contacts and tasks",
            """
            CREATE TABLE notes (id INTEGER PRIMARY KEY, body, updated_at INT);
            CREATE TABLE contacts (id INTEGER PRIMARY KEY, name, updated_at INT);
            CREATE TABLE user_tasks (id INTEGER PRIMARY KEY, name, created_at INT);
            INSERT INTO notes SELECT i, i, at FROM n;
            INSERT INTO contacts SELECT i, i, at FROM n;
            INSERT INTO user_tasks SELECT i, i, at FROM n;
            """),
        AppTables(
            "jobs and a log",
            """
            CREATE TABLE jobs (id INTEGER PRIMARY KEY, created_at INT, state TEXT);
            CREATE TABLE access_log (logged_at TEXT, status INT, page TEXT);
            INSERT INTO jobs SELECT i, at, CASE i % 3 WHEN 0 THEN 'done' WHEN 1 THEN 'queued' ELSE 'failed' END FROM n;
            INSERT INTO access_log SELECT datetime(at, 'unixepoch'), iif(i % 9, 200, 404), 'p' FROM n;
            """),
        AppTables(
            "what is not yet synced",
            """
            CREATE TABLE changes (id INTEGER PRIMARY KEY, created_at INT, synced INT);
            INSERT INTO changes SELECT i, at, i % 2 FROM n;
            """),
        AppTables(
            "names with dots, dashes and blanks",
            """
            CREATE TABLE posts (id INTEGER PRIMARY KEY, "created-at" INT, "ke.y" TEXT UNIQUE);
            CREATE TABLE "two words" (id INTEGER PRIMARY KEY, created_at INT, "x.y" INT, "a-b" INT, "c ""d" INT, "" INT);
            CREATE TABLE marks ("po.st" INT REFERENCES posts (id), "po-st" INT REFERENCES posts (id));
            CREATE TABLE visits (id INTEGER PRIMARY KEY, "visi.ted" INT);
            CREATE INDEX m ON marks ("po.st");
            CREATE INDEX n2 ON marks ("po-st");
            INSERT INTO posts SELECT i + 100000, at, 'k' || i FROM n;
            INSERT INTO visits SELECT i + 500000, at FROM n;
            INSERT INTO "two words" SELECT i + 900000, at, i + 100000, i + 100000, i + 500000, i + 500000 FROM n WHERE i % 2;
            INSERT INTO marks SELECT i + 100000, i + 100001 FROM n WHERE i % 100 = 3;
            CREATE INDEX w1 ON "two words" ("x.y");
            CREATE INDEX w2 ON "two words" ("a-b");
            CREATE INDEX w3 ON "two words" ("c ""d");
            CREATE INDEX w4 ON "two words" ("");
            """),
        AppTables(
            "a table with a dot, and what refers to it",
            """
            CREATE TABLE "a.b" (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE "c.image" (x INT REFERENCES "a.b" (id));
            CREATE INDEX e ON "c.image" (x);
            INSERT INTO "a.b" SELECT i, at FROM n;
            """),
        AppTables(
            "a trigger that writes",
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE log (x);
            CREATE TRIGGER t AFTER DELETE ON items BEGIN INSERT INTO log VALUES (1); END;
            INSERT INTO items SELECT i, at FROM n;
            """),
    ]
}
