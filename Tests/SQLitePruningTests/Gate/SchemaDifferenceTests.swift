import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// What counts as a difference between two schemas.
struct SchemaDifferenceTests {
    private static let known = """
        CREATE TABLE feed (url TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, feed VARCHAR(1024) NOT NULL REFERENCES feed (url), read BOOL,
            day GENERATED ALWAYS AS (id / 10) STORED, UNIQUE (feed, read));
        CREATE TRIGGER gone AFTER DELETE ON item BEGIN DELETE FROM feed WHERE url = 'Old'; END;

        """

    private func differences(_ own: String, accepting accepted: Set<String> = []) throws -> [String] {
        let facts = try [own, Self.known].map { try KnownSchema(.init(versions: "1", text: $0)).facts }
        return facts[0].differences(from: facts[1], accepting: accepted).map(\.text)
    }

    @Test(
        "spelling, order, comments, defaults, other indexes and other tables are no differences",
        arguments: [
            ("item (", "\"ITEM\" ("), ("AFTER DELETE ON item", "after /* each */ delete\non [item] -- now\n"),
            ("VARCHAR(1024)", "varchar ( 1024 )"), ("read BOOL,", "read BOOL DEFAULT 0,"),
            (
                "feed VARCHAR(1024) NOT NULL REFERENCES feed (url), read BOOL",
                "read BOOL, feed VARCHAR(1024) NOT NULL REFERENCES FEED (URL)"
            ),
            ("UNIQUE (feed, read)", "UNIQUE (read, feed)"), ("END;", "END; CREATE INDEX i ON item (read);"),
            ("END;", "END; CREATE TABLE other (x); CREATE VIEW v AS SELECT 1; PRAGMA user_version = 7;"),
            (", UNIQUE (feed, read));", "); CREATE UNIQUE INDEX u ON item (feed, read);"),
            ("DELETE FROM feed", "DELETE FROM \"feed\""),
        ])
    func none(text: String, replacement: String) throws {
        let own = Self.known.replacing(text, with: replacement)
        #expect(own != Self.known)
        #expect(try differences(own) == [])
    }

    @Test(
        "each difference is said",
        arguments: [
            ("read BOOL,", "read BOOL, pinned INT,", "table item has an unknown column pinned"),
            (
                "url TEXT PRIMARY KEY NOT NULL", "url TEXT PRIMARY KEY NOT NULL, x AS (1)",
                "table feed has an unknown column x"
            ),
            ("day GENERATED ALWAYS AS (id / 10) STORED, ", "", "table item has no column day"),
            ("read BOOL", "read INTEGER", "item.read is declared as INTEGER, not as BOOL"),
            ("read BOOL", "read", "item.read is declared as nothing, not as BOOL"),
            ("read BOOL", "read BOOL NOT NULL", "item.read is NOT NULL"),
            ("VARCHAR(1024) NOT NULL", "VARCHAR(1024)", "item.feed may be NULL"),
            (" PRIMARY KEY AUTOINCREMENT", "", "item.id is not part of the primary key"),
            ("url TEXT PRIMARY KEY NOT NULL", "url TEXT NOT NULL", "feed.url is not part of the primary key"),
            (" GENERATED ALWAYS AS (id / 10) STORED", "", "item.day is not generated"),
            ("read BOOL,", "read BOOL AS (1),", "item.read is generated"),
            (
                "(url)", "(url) ON DELETE CASCADE",
                "unknown foreign key (feed) to feed (url) ON DELETE CASCADE"
            ),
            (" REFERENCES feed (url)", "", "table item has no foreign key (feed) to feed (url)"),
            (
                "END;", "END; CREATE UNIQUE INDEX u ON feed (url COLLATE NOCASE);",
                "unknown unique index on url collate nocase"
            ),
            (
                "END;", "END; CREATE UNIQUE INDEX u ON feed (url) WHERE url > 'a';",
                "unknown unique index on ("
            ),
            (", UNIQUE (feed, read)", "", "table item has no unique index on feed, read"),
            ("UNIQUE (feed, read)", "UNIQUE (feed)", "table item has an unknown unique index on feed"),
            ("'Old'", "'old'", "trigger gone on item does something else"),
            ("AFTER", "BEFORE", "trigger gone on item does something else"),
            (
                "END;", "END; CREATE TRIGGER more AFTER INSERT ON feed BEGIN SELECT 1; END;",
                "table feed has an unknown trigger more"
            ),
            ("TRIGGER gone", "TRIGGER left", "table item has no trigger gone"),
            ("CREATE TABLE feed", "CREATE TABLE feeds", "there is no table feed"),
            (
                "CREATE TABLE feed (url TEXT PRIMARY KEY NOT NULL)", "CREATE VIEW feed AS SELECT 1 AS url",
                "there is no table feed"
            ),
            (
                "CREATE TABLE feed (url TEXT PRIMARY KEY NOT NULL)",
                "CREATE VIRTUAL TABLE feed USING fts5(url)", "table feed was created by another statement"
            ),
        ])
    func one(text: String, replacement: String, difference: String) throws {
        let own = Self.known.replacing(text, with: replacement)
        #expect(own != Self.known)
        let found = try differences(own)
        #expect(found.contains { $0.contains(difference) }, "\(found)")
        #expect(found.count <= 2, "\(found)")
    }

    @Test(
        "a column that only the store has is accepted by its name, or by its table's and its own",
        arguments: [("pinned", true), ("ITEM.Pinned", true), ("feed.pinned", false), ("item", false)])
    func accepted(name: String, isAccepted: Bool) throws {
        let own = Self.known.replacing("read BOOL,", with: "read BOOL, pinned INT,")
        #expect(try differences(own, accepting: [name]).isEmpty == isAccepted)
        let others = own.replacing("VARCHAR(1024)", with: "TEXT")
        #expect(try differences(others, accepting: [name]).isEmpty == false)
    }

    @Test("a virtual table is compared by the statement that created it")
    func virtual() throws {
        let schema = { (options: String) in
            try KnownSchema(.init(versions: "1", text: "CREATE VIRTUAL TABLE f USING fts5(a\(options))"))
                .facts
        }
        let plain = try schema("")
        #expect(plain.tables.keys.sorted() == ["f"])
        #expect(try schema(" -- the text\n").differences(from: plain) == [])
        #expect(try schema(", tokenize='porter'").differences(from: plain).count == 1)
    }

    @Test(
        "a schema that cannot be created, or would open a file, is refused with SQLite's words",
        arguments: [
            ("CREATE TABLE t (", "incomplete input"), ("CREATE TABEL t (x)", "near \"TABEL\": syntax error"),
            ("ATTACH 'other.db' AS other", "not authorized"), ("VACUUM INTO '/tmp/never'", "authoriz"),
        ])
    func invalid(sql: String, cause: String) {
        let error = #expect(throws: SchemaMismatch.self) { try KnownSchema(.init(versions: "7", text: sql)) }
        #expect(error?.cause.contains("schema of 7") == true)
        #expect(error?.cause.contains(cause) == true, "\(String(describing: error))")
    }
}
