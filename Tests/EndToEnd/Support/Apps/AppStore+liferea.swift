extension AppStore {
    static let liferea = AppStore(
        preset: "liferea",
        schema: """
            CREATE TABLE info (name TEXT, value TEXT, PRIMARY KEY (name));
            CREATE TABLE items (item_id INTEGER, parent_item_id INTEGER, node_id TEXT, parent_node_id TEXT, title TEXT,
                read INTEGER, updated INTEGER, popup INTEGER, marked INTEGER, source TEXT, source_id TEXT,
                valid_guid INTEGER, description TEXT, date INTEGER, comment_feed_id TEXT, comment INTEGER,
                PRIMARY KEY (item_id));
            CREATE INDEX items_idx ON items (source_id);
            CREATE INDEX items_idx3 ON items (node_id);
            CREATE TABLE metadata (item_id INTEGER, nr INTEGER, key TEXT, value TEXT, PRIMARY KEY (item_id, nr));
            CREATE TABLE subscription (node_id STRING, source STRING, orig_source STRING, filter_cmd STRING,
                update_interval INTEGER, default_interval INTEGER, discontinued INTEGER, available INTEGER,
                PRIMARY KEY (node_id));
            CREATE TABLE subscription_metadata (node_id STRING, nr INTEGER, key TEXT, value TEXT,
                PRIMARY KEY (node_id, nr));
            CREATE TABLE node (node_id STRING, parent_id STRING, title STRING, type INTEGER, expanded INTEGER,
                view_mode INTEGER, sort_column INTEGER, sort_reversed INTEGER, PRIMARY KEY (node_id));
            CREATE TABLE search_folder_items (node_id STRING, parent_node_id STRING, item_id INTEGER,
                PRIMARY KEY (node_id, item_id));
            CREATE TRIGGER item_removal DELETE ON items BEGIN
                DELETE FROM metadata WHERE item_id = old.item_id;
                DELETE FROM search_folder_items WHERE item_id = old.item_id;
            END;
            CREATE TRIGGER subscription_removal DELETE ON subscription BEGIN
                DELETE FROM node WHERE node_id = old.node_id;
                DELETE FROM subscription_metadata WHERE node_id = old.node_id;
                DELETE FROM search_folder_items WHERE parent_node_id = old.node_id;
            END;

            """,
        rows: """
            INSERT INTO subscription (node_id) VALUES ('feedfee'), ('smallee');
            INSERT INTO node (node_id, type) VALUES ('feedfee', 'feed'), ('smallee', 'feed'), ('newsbin', 'newsbin');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO items (title, node_id, date, read, marked, comment, parent_item_id)
            SELECT 'stays: newest ' || i, 'feedfee', \(ago(200)) + i, 1, 0, 0, 0 FROM n;
            INSERT INTO items (title, node_id, date, read, marked, comment, parent_item_id, comment_feed_id, source_id)
            SELECT column1, column2, \(ago(300)), column3, column4, column5, column6, column7, column1 FROM (VALUES
                ('goes: read', 'feedfee', 1, 0, 0, 0, NULL),
                ('stays: in a small feed', 'smallee', 1, 0, 0, 0, NULL),
                ('stays: unread', 'feedfee', 0, 0, 0, 0, NULL),
                ('stays: flagged', 'feedfee', 1, 1, 0, 0, NULL),
                ('stays: flag unknown', 'feedfee', 1, NULL, 0, 0, NULL),
                ('stays: a comment', 'feedfee', 1, 0, 1, 0, NULL),
                ('stays: belongs to another', 'feedfee', 1, 0, 0, 7, NULL),
                ('stays: has comments', 'feedfee', 1, 0, 0, 0, 'comment'),
                ('stays: saved in a news bin', 'newsbin', 1, 0, 0, 0, NULL));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO items (title, node_id, date, read, marked, comment, parent_item_id)
            SELECT 'stays: newest in the news bin ' || i, 'newsbin', \(ago(200)) + i, 1, 0, 0, 0 FROM n;
            INSERT INTO metadata SELECT item_id, 1, 'k', 'v' FROM items;
            INSERT INTO search_folder_items SELECT 'folder', node_id, item_id FROM items;
            """,
        table: "items",
        shown: "SELECT title FROM items")
}
