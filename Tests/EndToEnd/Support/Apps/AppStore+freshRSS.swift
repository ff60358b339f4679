extension AppStore {
    static let freshRSS = AppStore(
        preset: "freshrss",
        schema: """
            CREATE TABLE `category` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `name` VARCHAR(191) NOT NULL,
                UNIQUE (`name`));
            CREATE TABLE `feed` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `url` VARCHAR(32768) NOT NULL,
                `kind` SMALLINT DEFAULT 0, `category` INTEGER DEFAULT 0, `name` VARCHAR(191) NOT NULL,
                `website` VARCHAR(32768), `description` TEXT, `lastUpdate` INT(11) DEFAULT 0,
                `priority` TINYINT(2) NOT NULL DEFAULT 10, `pathEntries` VARCHAR(65535) DEFAULT NULL,
                `httpAuth` VARCHAR(1024) DEFAULT NULL, `error` BOOLEAN DEFAULT 0, `ttl` INT NOT NULL DEFAULT 0,
                `attributes` TEXT, `cache_nbEntries` INT DEFAULT 0, `cache_nbUnreads` INT DEFAULT 0,
                FOREIGN KEY (`category`) REFERENCES `category` (`id`) ON DELETE SET NULL ON UPDATE CASCADE);
            CREATE TABLE `entry` (`id` BIGINT NOT NULL, `guid` VARCHAR(767) NOT NULL, `title` VARCHAR(65535) NOT NULL,
                `author` VARCHAR(65535), `content` TEXT, `link` VARCHAR(32768) NOT NULL, `date` INT(11),
                `lastSeen` INT(11) DEFAULT 0, `hash` BINARY(16), `is_read` BOOLEAN NOT NULL DEFAULT 0,
                `is_favorite` BOOLEAN NOT NULL DEFAULT 0, `id_feed` INTEGER, `tags` VARCHAR(65535), `attributes` TEXT,
                PRIMARY KEY (`id`),
                FOREIGN KEY (`id_feed`) REFERENCES `feed` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
                UNIQUE (`id_feed`, `guid`));
            CREATE INDEX entry_lastSeen_index ON `entry` (`lastSeen`);
            CREATE INDEX entry_feed_read_index ON `entry` (`id_feed`, `is_read`);
            CREATE TABLE `tag` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `name` VARCHAR(191) NOT NULL,
                `attributes` TEXT, UNIQUE (`name`));
            CREATE TABLE `entrytag` (`id_tag` INTEGER, `id_entry` BIGINT, PRIMARY KEY (`id_tag`, `id_entry`),
                FOREIGN KEY (`id_tag`) REFERENCES `tag` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
                FOREIGN KEY (`id_entry`) REFERENCES `entry` (`id`) ON DELETE CASCADE ON UPDATE CASCADE);
            CREATE INDEX entrytag_id_entry_index ON `entrytag` (`id_entry`);

            """,
        rows: """
            INSERT INTO category (id, name) VALUES (1, 'c');
            INSERT INTO feed (id, url, name, category) VALUES (1, 'busy', 'busy', 1), (2, 'gone', 'gone', 1);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO entry (id, guid, title, link, is_read, id_feed, lastSeen)
            SELECT unixepoch() * 1000000 + i, i, 'stays: newest ' || i, 'l', 1, 2, \(ago(200)) FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO entry (id, guid, title, link, is_read, id_feed, lastSeen)
            SELECT unixepoch() * 1000000 + 1000 + i, i, 'stays: in the feed ' || i, 'l', 1, 1, unixepoch() - i FROM n;
            INSERT INTO entry (id, guid, title, link, id_feed, is_read, is_favorite, lastSeen)
            SELECT unixepoch() * 1000000 - column2, column1, column1, 'l', column3, column4, column5, column6 FROM (VALUES
                ('goes: read', 1, 1, 1, 0, \(ago(90))),
                ('goes: read, feed gone', 2, 2, 1, 0, \(ago(400))),
                ('stays: young', 3, 1, 1, 0, \(ago(89))),
                ('stays: unread', 4, 1, 0, 0, \(ago(400))),
                ('stays: favourite', 5, 1, 1, 1, \(ago(400))),
                ('stays: labelled', 6, 1, 1, 0, \(ago(400))),
                ('stays: never seen', 7, 1, 1, 0, 0));
            INSERT INTO tag (id, name) VALUES (1, 'label');
            INSERT INTO entrytag SELECT 1, id FROM entry WHERE title = 'stays: labelled';
            """,
        table: "entry",
        shown: "SELECT title FROM entry")
}
