import Retention
import TestSupport
import Testing

@testable import SQLitePruning

@Suite("What a gate reads of a SQLite database")
struct SchemaReadingTests {
    private static let schema = """
        CREATE TABLE feed (url TEXT PRIMARY KEY NOT NULL, kind INT, title TEXT);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, feed VARCHAR(1024) NOT NULL REFERENCES feed, at DATETIME,
            read BOOL, body BLOB, price REAL, guid STRING, any, day GENERATED ALWAYS AS (id / 10) STORED,
            UNIQUE (read, feed), UNIQUE (guid COLLATE NOCASE));
        CREATE UNIQUE INDEX odd ON item (lower(guid)) WHERE "Read" = 'New';
        CREATE TABLE label (
            "Item x" INTEGER, name TEXT, PRIMARY KEY (name, "Item x"),
            FOREIGN KEY ("Item x") REFERENCES item (id) ON DELETE CASCADE ON UPDATE SET NULL);
        CREATE VIRTUAL TABLE words USING fts5(text, /* the words */ tokenize = 'unicode61');
        CREATE TRIGGER "after" DELETE ON item BEGIN DELETE FROM label WHERE name = 'It''s' OR [Item x] = old.id; END;
        CREATE TRIGGER change AFTER UPDATE OF guid, "At" ON [item] WHEN 1 BEGIN SELECT 1; END;
        CREATE VIEW seen AS SELECT 1;

        """

    private static let text = """
        table feed
          column url text
          column kind number
          column title text
          primary key (url)
        table item
          column id number
          column feed text
          column at time
          column read boolean
          column body bytes
          column price number
          column guid other string
          column any other
          column day other
          primary key (id)
          unique (feed, read)
          unique (guid collate nocase)
          unique (lower (guid)) where read = 'New'
          foreign key (feed) references feed (url)
          trigger after before delete begin delete from label where name = 'It''s' or "item x" = old.id; end
          trigger change after update of guid, at when 1 begin select 1; end
        table label
          column "Item x" number
          column name text
          primary key (name, "Item x")
          foreign key ("Item x") references item (id) on delete cascade on update set null
        table words
          module fts5 (text, tokenize = 'unicode61')
          column text other

        """

    @Test("ordinary and virtual tables with their columns, keys and triggers, and nothing of SQLite's own")
    func text() throws {
        let schema = try StoreSchema(sql: Self.schema)
        #expect(schema.text == Self.text)
        #expect(try StoreSchema(schema.text).text == schema.text)
    }

    @Test(
        "what means the same is read as the same",
        arguments: [
            ("item (", "\"item\" ("), ("DELETE ON item", "before /* each */ delete\non [ITEM] -- now\n"),
            ("VARCHAR(1024) NOT NULL", "varchar ( 32768 )"), ("kind INT", "kind BIGINT UNSIGNED DEFAULT 0"),
            ("REFERENCES feed,", "REFERENCES feed (url),"), (" AUTOINCREMENT", ""),
            ("STORED", "VIRTUAL"), ("DELETE FROM label", "delete FROM \"LABEL\""),
            ("CREATE VIEW", "CREATE INDEX i ON item (read); CREATE VIEW"),
            ("UNIQUE (read, feed)", "UNIQUE (feed, read)"), ("ON item (lower", "ON ITEM (LOWER"),
        ])
    func same(text: String, replacement: String) throws {
        let own = Self.schema.replacing(text, with: replacement)
        #expect(own != Self.schema)
        #expect(try StoreSchema(sql: own).text == Self.text)
    }
}
