extension AppStore {
    static let rssGuard = AppStore(
        preset: "rssguard",
        schema: """
            CREATE TABLE Accounts (id INTEGER PRIMARY KEY, type TEXT NOT NULL CHECK (type != ''),
                proxy_type INTEGER NOT NULL DEFAULT 0 CHECK (proxy_type >= 0), proxy_host TEXT, proxy_port INTEGER,
                proxy_username TEXT, proxy_password TEXT, custom_data TEXT);
            CREATE TABLE Messages (
                id              INTEGER PRIMARY KEY,
                is_read         INTEGER     NOT NULL DEFAULT 0 CHECK (is_read >= 0 AND is_read <= 1),
                is_important    INTEGER     NOT NULL DEFAULT 0 CHECK (is_important >= 0 AND is_important <= 1),
                is_deleted      INTEGER     NOT NULL DEFAULT 0 CHECK (is_deleted >= 0 AND is_deleted <= 1),
                is_pdeleted     INTEGER     NOT NULL DEFAULT 0 CHECK (is_pdeleted >= 0 AND is_pdeleted <= 1),
                feed            TEXT        NOT NULL, /* Points to Feeds/custom_id. */
                title           TEXT        NOT NULL CHECK (title != ''),
                url             TEXT,
                author          TEXT,
                date_created    BIGINT      NOT NULL CHECK (date_created >= 0),
                contents        TEXT,
                enclosures      TEXT,
                score           REAL        NOT NULL DEFAULT 0.0 CHECK (score >= 0.0 AND score <= 100.0),
                account_id      INTEGER     NOT NULL,
                custom_id       TEXT,
                custom_hash     TEXT,
                FOREIGN KEY (account_id) REFERENCES Accounts (id) ON DELETE CASCADE
            );
            CREATE TABLE LabelsInMessages (label TEXT NOT NULL, message TEXT NOT NULL, account_id INTEGER NOT NULL,
                FOREIGN KEY (account_id) REFERENCES Accounts (id) ON DELETE CASCADE);

            """,
        rows: """
            INSERT INTO Accounts (id, type) VALUES (1, 'std-rss');
            INSERT INTO Messages (title, custom_id, date_created, is_read, is_important, is_deleted, is_pdeleted, feed,
                account_id, contents)
            SELECT column1, column1, column2 * 1000 + 7, column3, column4, column5, column6, '1', 1, iif(column6, '', 'text') FROM (VALUES
                ('goes: read', \(ago(90)), 1, 0, 0, 0),
                ('goes: read, in the recycle bin', \(ago(400)), 1, 0, 1, 0),
                ('stays: young', \(ago(89)), 1, 0, 0, 0),
                ('stays: unread', \(ago(400)), 0, 0, 0, 0),
                ('stays: important', \(ago(400)), 1, 1, 0, 0),
                ('stays: labelled', \(ago(400)), 1, 0, 0, 0),
                ('stays: without a date', 0, 1, 0, 0, 0),
                ('hidden: deleted for good by the app', \(ago(400)), 1, 0, 1, 1));
            INSERT INTO LabelsInMessages VALUES ('later', 'stays: labelled', 1);
            """,
        table: "Messages",
        shown: "SELECT title FROM Messages WHERE is_pdeleted = 0")
}
