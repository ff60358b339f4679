extension ServerScenario {
    /// Four rows to a page, so that a run has several batches.
    private static let items = """
        CREATE TABLE items (id int PRIMARY KEY, feed int NOT NULL, at timestamptz NOT NULL, starred bool NOT NULL,
            deleted bool NOT NULL DEFAULT false, body text NOT NULL);
        ALTER TABLE items ALTER body SET STORAGE PLAIN;
        CREATE INDEX ON items (feed, at);
        CREATE SCHEMA master;
        CREATE TABLE master.items (LIKE items);
        INSERT INTO master.items SELECT n, n % 5, now() - interval '10 days' - interval '60 days' * (n % 3)::int
            - interval '1 minute' * n, n % 10 = 0, false, repeat('x', 1900) FROM generate_series(1, 48) n;
        """
    private static let refill = "TRUNCATE items; INSERT INTO items SELECT * FROM master.items;"
    private static let rule = """
        [rule.old]
        table = "items"
        age_column = "at"
        keep = "30d"
        protect = "starred"

        """
    private static let due = "id % 3 <> 0 AND id % 10 <> 0"

    private static let plain = ServerScenario(
        name: "plain", setup: items, fill: refill, rules: rule, due: due)

    private static let keepers = ServerScenario(
        name: "keepers",
        setup: items + """
            CREATE TABLE labels (item int NOT NULL REFERENCES items);
            CREATE INDEX ON labels (item);
            CREATE TABLE shared (item int PRIMARY KEY);
            INSERT INTO shared VALUES (2), (4);
            """,
        fill: """
            TRUNCATE items, labels; INSERT INTO items SELECT * FROM master.items;
            INSERT INTO labels VALUES (7), (8);
            """,
        rules: rule + """
            kept_by = "labels.item"
            where = "NOT EXISTS (SELECT 1 FROM shared WHERE shared.item = items.id)"
            """,
        due: due + " AND id NOT IN (2, 4, 7, 8)")

    private static let marks = ServerScenario(
        name: "marks", setup: items, fill: refill,
        rules: rule + "action = { set = { deleted = true } }\n", due: due, mark: "i.deleted")

    private static let tombstones = ServerScenario(
        name: "tombstones", setup: items + "CREATE TABLE gone (item int PRIMARY KEY);",
        fill: refill + "TRUNCATE gone;",
        rules: rule + #"tombstone = { table = "gone", columns = { item = "id" } }"#, due: due,
        untold: """
            SELECT id FROM master.items WHERE (id IN (SELECT item FROM gone)) = (id IN (SELECT id FROM items))
            """)

    private static let archive = ServerScenario(
        name: "archive", setup: items, fill: refill,
        rules: rule + "archive = true\nidentity = [\"feed\", \"at\"]\n", due: due, archives: true)

    private static let restore = ServerScenario(
        name: "restore", setup: items, fill: refill, rules: rule + "archive = true\n", due: due,
        archives: true,
        restores: true)

    private static let newest = ServerScenario(
        name: "newest", setup: items, fill: refill,
        rules: rule + "keep_last = 2\nkeep_last_per = \"feed\"\nwhere = \"feed <> 4\"\n",
        due: """
            \(due) AND feed <> 4
            AND at < (SELECT min(at) FROM (SELECT at FROM master.items n WHERE n.feed = m.feed
                ORDER BY at DESC LIMIT 2) newest)
            """)

    private static let reclaiming = ServerScenario(
        name: "reclaim", setup: items, fill: refill, rules: "store.app.reclaim = true\n" + rule, due: due)

    private static let partitions = ServerScenario(
        name: "partitions",
        setup: """
            CREATE SCHEMA master;
            CREATE TABLE master.items (id int, at timestamptz NOT NULL);
            INSERT INTO master.items SELECT n, date_trunc('day', now()) - interval '20 days' * (n % 5) - interval '1 hour'
                FROM generate_series(1, 45) n;
            -- Of a partition that is half detached the rows are there, but not in the table.
            CREATE FUNCTION present() RETURNS SETOF master.items LANGUAGE plpgsql AS $$
            DECLARE part text;
            BEGIN
                FOR part IN SELECT relname FROM pg_class WHERE relname ~ '^p[0-9]$' LOOP
                    RETURN QUERY EXECUTE format('SELECT * FROM %I', part);
                END LOOP;
            END $$;
            """,
        fill: """
            DROP TABLE IF EXISTS items, p0, p1, p2, p3, p4;
            CREATE TABLE items (id int, at timestamptz NOT NULL) PARTITION BY RANGE (at);
            DO $$
            DECLARE newest timestamptz := (SELECT max(at) + interval '1 hour' FROM master.items);
            BEGIN
                FOR n IN 0..4 LOOP
                    EXECUTE format('CREATE TABLE p%s PARTITION OF items FOR VALUES FROM (%L) TO (%L)', n,
                        newest - interval '20 days' * (n + 1), newest - interval '20 days' * n);
                END LOOP;
            END $$;
            INSERT INTO items SELECT * FROM master.items;
            """,
        rules: """
            [rule.old]
            table = "items"
            age_column = "at"
            keep = "70d"
            partitions = "drop"

            """,
        due: "id % 5 > 3", present: "present()")

    static let all = [
        plain, keepers, marks, tombstones, archive, restore, newest, reclaiming, partitions,
    ]
}
