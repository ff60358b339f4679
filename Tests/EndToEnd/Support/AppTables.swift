/// Tables as apps have them, and which of their rows no proposed rule may delete.
struct AppTables: CustomStringConvertible, Sendable {
    let name: String
    /// Whether any rule of the proposal is in force.
    let hasRule: Bool
    /// The tables, filled from `n`: `i` counts from 0, and `at` are seconds since 1970, an hour apart until now.
    let sql: String
    /// Rows that matter, as `table WHERE condition`.
    let matter: [String]

    init(_ name: String, hasRule: Bool, _ sql: String, matter: String...) {
        (self.name, self.hasRule, self.sql, self.matter) = (name, hasRule, sql, matter)
    }

    var description: String { name }

    static let all = flags + times + relations + others

    private static let flags = [
        AppTables(
            "status words, a star and a share", hasRule: true,
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, status TEXT, starred INT, share_code TEXT, created_at INT);
            CREATE TABLE enclosures (entry_id INT REFERENCES entries (id) ON DELETE CASCADE, url TEXT);
            CREATE INDEX e ON enclosures (entry_id);
            INSERT INTO entries SELECT i, iif(i % 3, 'read', 'unread'), i % 5 = 0, iif(i % 7, '', 'x' || i), at FROM n;
            INSERT INTO enclosures SELECT i, 'u' FROM n;
            """, matter: "entries WHERE status = 'unread' OR starred OR share_code <> ''"),
        AppTables(
            "words for yes and no", hasRule: true,
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, created_at INT, unread TEXT, starred TEXT, kept TEXT);
            INSERT INTO entries SELECT i, at, iif(i % 2, 'true', 'false'), iif(i % 3, 'no', 'Yes'), iif(i % 5, 'N', 'Y') FROM n;
            """, matter: "entries WHERE unread = 'true' OR starred = 'Yes' OR kept = 'Y'"),
        AppTables(
            "to read later", hasRule: true,
            """
            CREATE TABLE articles (id INTEGER PRIMARY KEY, published INT, to_read INT, readLater TEXT, isread INT);
            INSERT INTO articles SELECT i, at, i % 3 = 0, iif(i % 4, 'false', 'true'), i % 2 FROM n;
            """, matter: "articles WHERE to_read OR readLater = 'true' OR NOT isread"),
        AppTables(
            "numbers for states", hasRule: false,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, date TEXT, last_arrived TEXT, status INT);
            INSERT INTO items SELECT i, datetime(at, 'unixepoch'), datetime(at, 'unixepoch'), i % 3 FROM n;
            """, matter: "items WHERE status <> 1"),
        AppTables(
            "unread and starred, in two clocks", hasRule: true,
            """
            CREATE TABLE oc_items (id INTEGER PRIMARY KEY, pub_date INT, last_modified INT, unread INT, starred INT);
            INSERT INTO oc_items SELECT i, at, at * 1000000, i % 2, i % 3 = 0 FROM n;
            """, matter: "oc_items WHERE unread OR starred"),
        AppTables(
            "letters beside unread", hasRule: true,
            """
            CREATE TABLE rss_entry (id INTEGER PRIMARY KEY, guid TEXT, pubDate INT, unread INT, flags TEXT, deleted INT);
            INSERT INTO rss_entry SELECT i, 'g' || i, at, i % 2, iif(i % 5, NULL, 's'), 0 FROM n;
            """, matter: "rss_entry WHERE unread OR flags <> ''"),
        AppTables(
            "mail flags in bits", hasRule: false,
            """
            CREATE TABLE messages (id INTEGER PRIMARY KEY, date INT, flags INT);
            INSERT INTO messages SELECT i, at, i % 8 FROM n;
            """, matter: "messages WHERE NOT flags & 1"),
        AppTables(
            "mail flags in letters", hasRule: false,
            """
            CREATE TABLE messages (id INTEGER PRIMARY KEY, date INT, flags TEXT);
            INSERT INTO messages SELECT i, at, iif(i % 2, 'S', '') FROM n;
            """, matter: "messages WHERE flags = ''"),
        AppTables(
            "a category, a star, unread in text dates", hasRule: true,
            """
            CREATE TABLE news (id INTEGER PRIMARY KEY, received TEXT, read INT, starred INT, label TEXT, deleted INT);
            INSERT INTO news SELECT i, strftime('%Y-%m-%dT%H:%M:%S', at, 'unixepoch'), i % 3, i % 5 = 0,
                iif(i % 7, ',', ',1,'), 0 FROM n;
            """, matter: "news WHERE NOT read OR starred OR label NOT IN ('', ',')"),
        AppTables(
            "marked and read, in real numbers", hasRule: true,
            """
            CREATE TABLE messages (id INTEGER PRIMARY KEY, date REAL, read_flag INT, marked_flag INT, deleted_flag INT);
            INSERT INTO messages SELECT i, at + 0.5, i % 2, i % 3 = 0, 0 FROM n;
            """, matter: "messages WHERE NOT read_flag OR marked_flag"),
        AppTables(
            "kept unread", hasRule: true,
            """
            CREATE TABLE stories (id INTEGER PRIMARY KEY, published INT, is_read INT, is_starred INT, keep_unread INT);
            INSERT INTO stories SELECT i, at, i % 2, i % 3 = 0, i % 5 = 0 FROM n;
            """, matter: "stories WHERE NOT is_read OR is_starred OR keep_unread"),
        AppTables(
            "archived", hasRule: false,
            """
            CREATE TABLE entry (id INTEGER PRIMARY KEY, created_at INT, is_archived INT, is_starred INT, archived_at INT);
            INSERT INTO entry SELECT i, at, i % 2, i % 3 = 0, iif(i % 2, at, NULL) FROM n;
            """, matter: "entry WHERE NOT is_archived OR is_starred"),
        AppTables(
            "a star in the 120th column", hasRule: true,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT,
                \((3..<120).map { "c\($0)" }.joined(separator: ", ")), starred TEXT);
            INSERT INTO items (id, created_at, starred) SELECT i, at, iif(i % 3, NULL, 'x') FROM n;
            """, matter: "items WHERE starred = 'x'"),
    ]

    private static let times = [
        AppTables(
            "times of reading and of a star", hasRule: true,
            """
            CREATE TABLE articles (id INTEGER PRIMARY KEY, published_at INT, read_at INT, starred_at INT);
            INSERT INTO articles SELECT i, at, iif(i % 2, at + 60, NULL), iif(i % 5, NULL, at + 90) FROM n;
            """, matter: "articles WHERE read_at IS NULL OR starred_at NOT NULL"),
        AppTables(
            "zero for never", hasRule: true,
            """
            CREATE TABLE list_item (id INTEGER PRIMARY KEY, time_added INT, time_read INT, favorite INT);
            INSERT INTO list_item SELECT i, at, iif(i % 2, at + 60, 0), i % 5 = 0 FROM n;
            """, matter: "list_item WHERE NOT time_read OR favorite"),
        AppTables(
            "the year 1 for never", hasRule: false,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at TEXT, read_at TEXT);
            INSERT INTO items SELECT i, datetime(at, 'unixepoch'),
                iif(i % 2, datetime(at, 'unixepoch'), '0001-01-01 00:00:00+00:00') FROM n;
            """, matter: "items WHERE read_at < '1'"),
        AppTables(
            "an empty text for never", hasRule: true,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, read_at TEXT, saved_at TEXT);
            INSERT INTO items SELECT i, iif(i % 2, datetime(at, 'unixepoch'), ''),
                iif(i % 5, '', datetime(at, 'unixepoch')) FROM n;
            """, matter: "items WHERE read_at = '' OR saved_at <> ''"),
        AppTables(
            "only what was starred has a time", hasRule: false,
            """
            CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT, starred_at INT);
            INSERT INTO pages SELECT i, 'u' || i, iif(i % 2, at, NULL) FROM n;
            """, matter: "pages WHERE 1"),
        AppTables(
            "what is due", hasRule: false,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT, due_at INT);
            INSERT INTO items SELECT i, at, at + 40 * 86400 FROM n;
            """, matter: "items WHERE due_at > unixepoch()"),
        AppTables(
            "cookies, and the token of an item", hasRule: true,
            """
            CREATE TABLE cookies (name TEXT, expires INT);
            INSERT INTO cookies SELECT i, at + 20 * 86400 FROM n;
            CREATE TABLE items (id INTEGER PRIMARY KEY, token_expires INT);
            INSERT INTO items SELECT i, at + 20 * 86400 FROM n;
            """, matter: "items WHERE 1", "cookies WHERE expires > unixepoch()"),
    ]

    private static let relations = [
        AppTables(
            "labels in a table, with the app's own last sight", hasRule: true,
            """
            CREATE TABLE entry (id INTEGER PRIMARY KEY, lastSeen INT, is_read INT, is_favorite INT, tags TEXT);
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE entrytag (id_tag INT REFERENCES tag (id) ON DELETE CASCADE,
                id_entry INT REFERENCES entry (id) ON DELETE CASCADE, PRIMARY KEY (id_tag, id_entry));
            CREATE INDEX et ON entrytag (id_entry);
            INSERT INTO entry SELECT i, at, i % 2, i % 3 = 0, '' FROM n;
            INSERT INTO tag VALUES (1, 'x');
            INSERT INTO entrytag SELECT 1, i FROM n WHERE i % 7 = 0;
            """, matter: "entry WHERE NOT is_read OR is_favorite OR id IN (SELECT id_entry FROM entrytag)",
            "entrytag WHERE 1"),
        AppTables(
            "what each user knows of an entry", hasRule: false,
            """
            CREATE TABLE tt_entries (id INTEGER PRIMARY KEY, date_updated INT);
            CREATE TABLE tt_user_entries (int_id INTEGER PRIMARY KEY, ref_id INT REFERENCES tt_entries (id) ON DELETE CASCADE,
                unread INT, marked INT, published INT, note TEXT, last_read INT);
            CREATE INDEX u ON tt_user_entries (ref_id);
            INSERT INTO tt_entries SELECT i, at FROM n;
            INSERT INTO tt_user_entries SELECT i, i, i % 2, i % 3 = 0, i % 5 = 0, '', at FROM n;
            """, matter: "tt_entries WHERE 1", "tt_user_entries WHERE 1"),
        AppTables(
            "states in another table, by the same key", hasRule: false,
            """
            CREATE TABLE articles (articleID TEXT PRIMARY KEY, datePublished REAL);
            CREATE TABLE statuses (articleID TEXT PRIMARY KEY, read INT, starred INT, dateArrived REAL);
            INSERT INTO articles SELECT 'a' || i, at + 0.5 FROM n;
            INSERT INTO statuses SELECT 'a' || i, i % 2, i % 3 = 0, at + 0.5 FROM n;
            """, matter: "articles WHERE 1", "statuses WHERE 1"),
        AppTables(
            "statuses of users", hasRule: false,
            """
            CREATE TABLE FEEDENTRIES (ID INTEGER PRIMARY KEY, UPDATED INT, INSERTED INT);
            CREATE TABLE FEEDENTRYSTATUSES (ID INTEGER PRIMARY KEY, ENTRY_ID INT, READ_STATUS INT, STARRED INT, ENTRYINSERTED INT);
            INSERT INTO FEEDENTRIES SELECT i, at, at FROM n;
            INSERT INTO FEEDENTRYSTATUSES SELECT i, i, i % 2, i % 3 = 0, at FROM n;
            """, matter: "FEEDENTRIES WHERE 1", "FEEDENTRYSTATUSES WHERE 1"),
        AppTables(
            "labels by a name that says nothing", hasRule: false,
            """
            CREATE TABLE Messages (id INTEGER PRIMARY KEY, is_read INT, is_important INT, date_created INT, custom_id TEXT);
            CREATE TABLE LabelsInMessages (label TEXT, message TEXT);
            INSERT INTO Messages SELECT i, i % 2, i % 3 = 0, at * 1000, 'c' || i FROM n;
            INSERT INTO LabelsInMessages SELECT 'x', 'c' || i FROM n WHERE i % 7 = 0;
            """, matter: "Messages WHERE custom_id IN (SELECT message FROM LabelsInMessages)"),
        AppTables(
            "bookmarks by a foreign key", hasRule: true,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT, unread INT);
            CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, item_id INT REFERENCES items (id));
            CREATE INDEX b ON bookmarks (item_id);
            INSERT INTO items SELECT i, at, i % 2 FROM n;
            INSERT INTO bookmarks (item_id) SELECT i FROM n WHERE i % 3 = 0;
            """, matter: "items WHERE unread OR id IN (SELECT item_id FROM bookmarks)"),
        AppTables(
            "a row for each unread entry, without foreign keys", hasRule: true,
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE unread_entries (entry_id INTEGER PRIMARY KEY);
            CREATE TABLE starred_entries (id INTEGER PRIMARY KEY, entry_id INT);
            CREATE INDEX s ON starred_entries (entry_id);
            INSERT INTO entries SELECT i, at FROM n;
            INSERT INTO unread_entries SELECT i FROM n WHERE i % 2;
            INSERT INTO starred_entries (entry_id) SELECT i FROM n WHERE i % 3 = 0;
            """,
            matter:
                "entries WHERE id IN (SELECT entry_id FROM unread_entries UNION SELECT entry_id FROM starred_entries)"
        ),
        AppTables(
            "a row for each read entry", hasRule: false,
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE read_entries (entry_id INTEGER PRIMARY KEY, created_at INT);
            INSERT INTO entries SELECT i, at FROM n;
            INSERT INTO read_entries SELECT i, at FROM n WHERE i % 2;
            """, matter: "entries WHERE id NOT IN (SELECT entry_id FROM read_entries)", "read_entries WHERE 1"
        ),
        AppTables(
            "a browser's bookmarks, under no name", hasRule: false,
            """
            CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, last_visit_date INT);
            CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, fk INT, dateAdded INT);
            INSERT INTO moz_places SELECT i, 'u' || i, at * 1000000 FROM n;
            INSERT INTO moz_bookmarks SELECT i, i, at * 1000000 FROM n WHERE i % 2;
            """, matter: "moz_places WHERE id IN (SELECT fk FROM moz_bookmarks)", "moz_bookmarks WHERE 1"),
        AppTables(
            "threads and their posts", hasRule: true,
            """
            CREATE TABLE threads (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE posts (id INTEGER PRIMARY KEY, thread INT REFERENCES threads (id) ON DELETE CASCADE, created_at INT,
                seen INT);
            CREATE INDEX p ON posts (thread);
            INSERT INTO threads SELECT i, at FROM n;
            INSERT INTO posts SELECT i, i, at, i % 2 FROM n;
            """, matter: "threads WHERE 1", "posts WHERE NOT seen"),
        AppTables(
            "answers in one table", hasRule: false,
            """
            CREATE TABLE comments (id INTEGER PRIMARY KEY, parent INT REFERENCES comments (id) ON DELETE CASCADE, created_at INT);
            INSERT INTO comments SELECT i, nullif(i - 1, -1), at FROM n;
            """, matter: "comments WHERE 1"),
        AppTables(
            "two tables that refer to each other", hasRule: false,
            """
            CREATE TABLE posts (id INTEGER PRIMARY KEY, created_at INT, last INT REFERENCES comments (id));
            CREATE TABLE comments (id INTEGER PRIMARY KEY, created_at INT, post INT REFERENCES posts (id));
            CREATE INDEX a ON posts (last);
            CREATE INDEX b ON comments (post);
            INSERT INTO posts SELECT i, at, i FROM n;
            INSERT INTO comments SELECT i, at, i FROM n;
            """),
        AppTables(
            "two parts that refer to each other", hasRule: true,
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
            "settings, feeds and folders", hasRule: false,
            """
            CREATE TABLE settings (key TEXT PRIMARY KEY, value, updated_at INT);
            CREATE TABLE feeds (id INTEGER PRIMARY KEY, url, last_updated INT);
            CREATE TABLE rss_folders (id INTEGER PRIMARY KEY, created_at INT);
            INSERT INTO settings SELECT i, i, at FROM n;
            INSERT INTO feeds SELECT i, i, at FROM n;
            INSERT INTO rss_folders SELECT i, at FROM n;
            """, matter: "settings WHERE 1", "feeds WHERE 1", "rss_folders WHERE 1"),
        AppTables(
            "notes, contacts and tasks", hasRule: false,
            """
            CREATE TABLE notes (id INTEGER PRIMARY KEY, body, updated_at INT);
            CREATE TABLE contacts (id INTEGER PRIMARY KEY, name, updated_at INT);
            CREATE TABLE user_tasks (id INTEGER PRIMARY KEY, name, created_at INT);
            INSERT INTO notes SELECT i, i, at FROM n;
            INSERT INTO contacts SELECT i, i, at FROM n;
            INSERT INTO user_tasks SELECT i, i, at FROM n;
            """, matter: "notes WHERE 1", "contacts WHERE 1", "user_tasks WHERE 1"),
        AppTables(
            "jobs and a log", hasRule: true,
            """
            CREATE TABLE jobs (id INTEGER PRIMARY KEY, created_at INT, state TEXT);
            CREATE TABLE access_log (logged_at TEXT, status INT, page TEXT);
            INSERT INTO jobs SELECT i, at, CASE i % 3 WHEN 0 THEN 'done' WHEN 1 THEN 'queued' ELSE 'failed' END FROM n;
            INSERT INTO access_log SELECT datetime(at, 'unixepoch'), iif(i % 9, 200, 404), 'p' FROM n;
            """, matter: "jobs WHERE state <> 'done'"),
        AppTables(
            "what is not yet synced", hasRule: true,
            """
            CREATE TABLE changes (id INTEGER PRIMARY KEY, created_at INT, synced INT);
            INSERT INTO changes SELECT i, at, i % 2 FROM n;
            """, matter: "changes WHERE NOT synced"),
        AppTables(
            "a name that no rule can give", hasRule: false,
            """
            CREATE TABLE "a.b" (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE "c.image" (x INT REFERENCES "a.b" (id));
            CREATE INDEX e ON "c.image" (x);
            INSERT INTO "a.b" SELECT i, at FROM n;
            """),
        AppTables(
            "a trigger that writes", hasRule: false,
            """
            CREATE TABLE items (id INTEGER PRIMARY KEY, created_at INT);
            CREATE TABLE log (x);
            CREATE TRIGGER t AFTER DELETE ON items BEGIN INSERT INTO log VALUES (1); END;
            INSERT INTO items SELECT i, at FROM n;
            """),
    ]
}
