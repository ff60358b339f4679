import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Which differences between two schemas could make a deletion wrong.
struct SchemaDifferenceTests {
    private static let known = """
        CREATE TABLE feed (url TEXT PRIMARY KEY NOT NULL, kind INT, title TEXT);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, feed VARCHAR(1024) NOT NULL REFERENCES feed (url), at INTEGER,
            read BOOL, title TEXT, day GENERATED ALWAYS AS (id / 10) STORED, UNIQUE (feed, read));
        CREATE TABLE label (item INTEGER REFERENCES item (id) ON DELETE CASCADE, name TEXT);
        CREATE TABLE word (item INTEGER, text TEXT);
        CREATE TABLE gone (url TEXT PRIMARY KEY);
        CREATE TRIGGER removal AFTER DELETE ON item BEGIN DELETE FROM word WHERE text = 'Old'; END;
        CREATE TRIGGER change AFTER UPDATE OF title ON item BEGIN DELETE FROM word WHERE text = 'New'; END;

        """

    private static let rule = RetentionRule(
        name: "items", store: "s", table: "Item", expiry: .age(column: "at", keep: Span(30, .day)),
        condition: "read = 1",
        protect: ["EXISTS (SELECT 1 FROM feed f WHERE f.url = item.feed AND f.kind > 1)"],
        dependents: ["label"],
        tombstone: Tombstone(table: "gone", columns: [.init("url", from: "feed")], condition: nil))

    private static let mark: RetentionRule = {
        var rule = Self.rule
        (rule.dependents, rule.tombstone) = ([], nil)
        rule.action = .mark([MarkedColumn("read", .integer(2))])
        return rule
    }()

    private func differences(
        _ own: String, _ rule: RetentionRule = Self.rule, accepting accepted: Set<String> = [],
        versions: [String] = []
    ) throws -> [String] {
        let facts = try ([own, Self.known] + versions).map {
            try KnownSchema(.init(versions: "1", text: $0)).facts
        }
        return facts[0].differences(
            from: facts[1], of: Array(facts[1...]), in: SchemaUse(rule), accepting: accepted
        ).map(\.text)
    }

    @Test(
        "what cannot make a deletion wrong is no difference",
        arguments: [
            ("item (", "\"ITEM\" ("), ("AFTER DELETE ON item", "after /* each */ delete\non [item] -- now\n"),
            ("VARCHAR(1024)", "text"), ("VARCHAR(1024) NOT NULL", "varchar ( 32768 )"),
            ("at INTEGER,", "at BIGINT UNSIGNED DEFAULT 0,"), ("read BOOL,", "read BOOLEAN NOT NULL,"),
            ("title TEXT, day", "day"), ("title TEXT, day", "title BLOB, day"),
            ("day GENERATED ALWAYS AS (id / 10) STORED, ", ""),
            (" PRIMARY KEY AUTOINCREMENT", " PRIMARY KEY"),
            ("kind INT, title TEXT", "pinned INT, kind BIGINT"), (" REFERENCES feed (url)", ""),
            (", name TEXT);", ", pinned INT, FOREIGN KEY (pinned) REFERENCES feed (url));"),
            (", UNIQUE (feed, read)", ""), ("UNIQUE (feed, read)", "UNIQUE (feed)"),
            ("END;\nCREATE TRIGGER change", "END;\nCREATE TRIGGER another"), ("'New'", "'new'"),
            (
                "CREATE TABLE word",
                "CREATE INDEX i ON item (read); CREATE VIEW v AS SELECT 1; CREATE TABLE word"
            ),
            (
                "CREATE TABLE word",
                "CREATE TRIGGER t AFTER DELETE ON feed BEGIN SELECT 1; END; CREATE TABLE word"
            ),
            (
                "CREATE TABLE word",
                "CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT 1; END; CREATE TABLE word"
            ),
            ("DELETE FROM word", "DELETE FROM \"word\""),
        ])
    func none(text: String, replacement: String) throws {
        let own = Self.known.replacing(text, with: replacement)
        #expect(own != Self.known)
        #expect(try differences(own) == [])
    }

    @Test("a column that settings name is one of the rule's table, not of a table that is read")
    func columnOfOther() throws {
        var rule = Self.rule
        (rule.identity, rule.keepLast, rule.keepLastPer) = (["title"], 5, ["title"])
        #expect(try differences(Self.known.replacing("kind INT, title TEXT", with: "kind INT"), rule) == [])
        #expect(
            try differences(Self.known.replacing("read BOOL, title TEXT", with: "read BOOL, name TEXT"), rule)
                .contains("table item has no column title"))
    }

    @Test(
        "what could is said",
        arguments: [
            ("read BOOL,", "read BOOL, pinned INT,", "table item has an unknown column pinned"),
            ("read BOOL,", "read BOOL, x AS (1),", "table item has an unknown column x"),
            ("at INTEGER,", "", "table item has no column at"),
            ("at INTEGER", "at TEXT", "item.at is a text, not a number"),
            ("at INTEGER", "at", "item.at is of no declared type, not a number"),
            ("read BOOL", "read INTEGER", "item.read is a number, not a boolean"),
            ("kind INT", "sort INT", "table feed has no column kind"),
            ("kind INT", "kind TEXT", "feed.kind is a text, not a number"),
            (" ON DELETE CASCADE", "", "table label has an unknown foreign key (item) to item (id)"),
            (
                " ON DELETE CASCADE", "",
                "table label has no foreign key (item) to item (id) ON DELETE CASCADE"
            ),
            (
                "text TEXT);", "text TEXT, own INTEGER REFERENCES item (id));",
                "table word has an unknown foreign key (own) to item (id)"
            ),
            (
                "name TEXT);",
                "name TEXT, id INTEGER PRIMARY KEY); CREATE TABLE t (a REFERENCES label (id)); CREATE TRIGGER more AFTER DELETE ON label BEGIN SELECT 1; END;",
                "table label has an unknown trigger more"
            ),
            ("'Old'", "'old'", "trigger removal on item does something else"),
            ("AFTER DELETE", "BEFORE DELETE", "trigger removal on item does something else"),
            ("TRIGGER removal", "TRIGGER left", "table item has no trigger removal"),
            (
                "CREATE TABLE gone",
                "CREATE TRIGGER deep AFTER DELETE ON word BEGIN SELECT 1; END; CREATE TABLE gone",
                "table word has an unknown trigger deep"
            ),
            (
                "url TEXT PRIMARY KEY);", "url TEXT, user INT, UNIQUE (url, user));",
                "table gone has an unknown unique index"
            ),
            (
                "url TEXT PRIMARY KEY);",
                "url TEXT PRIMARY KEY); CREATE TRIGGER noted AFTER INSERT ON gone BEGIN SELECT 1; END;",
                "table gone has an unknown trigger noted"
            ),
            ("CREATE TABLE feed", "CREATE TABLE feeds", "there is no table feed"),
            (
                "CREATE TABLE feed (url TEXT PRIMARY KEY NOT NULL, kind INT, title TEXT)",
                "CREATE VIEW feed AS SELECT 1 AS url", "there is no table feed"
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
        "of a mark: the triggers of an update of its columns, and the unique keys that have them",
        arguments: [
            ("'Old'", "'old'", nil), ("'New'", "'new'", nil), (" ON DELETE CASCADE", "", nil),
            ("OF title ON", "ON", "table item has an unknown trigger change"),
            ("OF title ON", "OF title, READ ON", "table item has an unknown trigger change"),
            (", UNIQUE (feed, read)", "", "table item has no unique index on feed, read"),
            ("UNIQUE (feed, read)", "UNIQUE (feed, read), UNIQUE (title)", nil),
            ("UNIQUE (feed, read)", "UNIQUE (feed, read), UNIQUE (read)", "an unknown unique index on read"),
        ] as [(String, String, String?)])
    func marks(text: String, replacement: String, difference: String?) throws {
        let own = Self.known.replacing(text, with: replacement)
        #expect(own != Self.known)
        let found = try differences(own, Self.mark)
        #expect(found.count == (difference == nil ? 0 : 1), "\(found)")
        if let difference { #expect(found.first?.contains(difference) == true, "\(found)") }
    }

    @Test("a column that any known version has is not unknown")
    func otherVersions() throws {
        let own = Self.known.replacing("read BOOL,", with: "read BOOL, pinned INT,")
        #expect(try differences(own, versions: ["CREATE TABLE item (pinned)"]) == [])
        #expect(try differences(own, versions: ["CREATE TABLE feed (pinned)"]).count == 1)
    }

    @Test(
        "a column that only the store has is accepted by its name, or by its table's and its own",
        arguments: [("pinned", true), ("ITEM.Pinned", true), ("feed.pinned", false), ("item", false)])
    func accepted(name: String, isAccepted: Bool) throws {
        let own = Self.known.replacing("read BOOL,", with: "read BOOL, pinned INT,")
        #expect(try differences(own, accepting: [name]).isEmpty == isAccepted)
        let others = own.replacing("at INTEGER", with: "at TEXT")
        #expect(try differences(others, accepting: [name]).isEmpty == false)
    }

    @Test("a virtual table to which a trigger writes is compared by the statement that created it")
    func virtual() throws {
        let index = { (options: String) in
            Self.known.replacing(
                "CREATE TABLE word (item INTEGER, text TEXT)",
                with: "CREATE VIRTUAL TABLE word USING fts5(text\(options))")
        }
        #expect(try differences(index("")) == ["table word was created by another statement"])
        let facts = try [index(""), index(" -- the text\n"), index(", tokenize='porter'")].map {
            try KnownSchema(.init(versions: "1", text: $0)).facts
        }
        let found = facts.map { $0.differences(from: facts[0], of: [facts[0]], in: SchemaUse(Self.rule)) }
        #expect(found.map(\.count) == [0, 0, 1])
    }

    @Test("statements that SQLite runs by itself are passed over, as `.schema` prints them")
    func ownTables() throws {
        let printed = """
            CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER);
            CREATE TABLE sqlite_sequence(name,seq);
            CREATE TABLE IF NOT EXISTS "sqlite_stat1"(tbl,idx,stat);
            CREATE TRIGGER d AFTER DELETE ON t BEGIN SELECT 'a;b'; SELECT 2; END;
            /* t(id,at) */;
            """
        let facts = try KnownSchema(.init(versions: "1", text: printed)).facts
        #expect(facts.tables.keys.sorted() == ["t"] && facts.tables["t"]?.triggers.count == 1)
    }

    @Test(
        "a schema that cannot be created, or would open a file, is refused with SQLite's words",
        arguments: [
            ("CREATE TABLE t (", "incomplete input"), ("CREATE TABEL t (x)", "near \"TABEL\": syntax error"),
            ("CREATE TABLE t (x); CREATE TABEL u (x);", "near \"TABEL\": syntax error"),
            ("ATTACH 'other.db' AS other", "not authorized"), ("VACUUM INTO '/tmp/never'", "authoriz"),
        ])
    func invalid(sql: String, cause: String) {
        let error = #expect(throws: SchemaMismatch.self) { try KnownSchema(.init(versions: "7", text: sql)) }
        #expect(error?.cause.contains("schema of 7") == true)
        #expect(error?.cause.contains(cause) == true, "\(String(describing: error))")
    }
}
