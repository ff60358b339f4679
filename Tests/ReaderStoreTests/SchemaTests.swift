import GRDB
import ReaderStore
import Testing

@Suite struct SchemaTests {
    let directory: TemporaryDirectory
    let store: DatabaseQueue

    init() throws {
        directory = try TemporaryDirectory()
        store = try ReaderStore.open(at: directory.store)
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO user VALUES (1, 'Ann', 'ann', 'https://images.example/1');
                    INSERT INTO tweet VALUES (10, 1700000000, 'text', 1, 0);
                    INSERT INTO feed VALUES (1, 1700000000, 1700001800), (2, 1700000000, 1700001800);
                    INSERT INTO article VALUES (1, 0, 'a', 'u'), (1, 1, 'b', 'u'), (2, 0, 'c', 'u');
                    """)
        }
    }

    @Test(
        "the database is what the service relies on",
        arguments: [
            ("journal_mode", "wal"), ("auto_vacuum", "2"), ("user_version", "2"),
            ("application_id", String(ReaderSchema.applicationID)),
        ])
    func databaseProperty(pragma: String, expected: String) throws {
        try store.close()
        let fresh = try DatabaseQueue(path: directory.store)
        #expect(try fresh.read { try String.fetchOne($0, sql: "PRAGMA \(pragma)") } == expected)
    }

    @Test(
        "a connection of the library shares the store well",
        arguments: [
            ("foreign_keys", 1), ("busy_timeout", 5_000), ("synchronous", 1), ("wal_autocheckpoint", 4_000),
        ])
    func connectionSetting(pragma: String, expected: Int) throws {
        #expect(try store.read { try Int.fetchOne($0, sql: "PRAGMA \(pragma)") } == expected)
    }

    @Test("every table is strict")
    func everyTableIsStrict() throws {
        let tables = try store.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
            )
        }
        #expect(
            tables.map { $0["name"] }
                == ["article", "feed", "feed_source", "item", "read_record", "tweet", "user"])
        #expect(tables.allSatisfy { $0["strict"] })
    }

    @Test("no column but the key of a rowid table may be without a value, and what a server need not say")
    func everyColumnHasAValue() throws {
        let optional = try store.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
                    WHERE t.name NOT LIKE 'sqlite_%' AND NOT c."notnull" ORDER BY 1
                    """)
        }
        let ofSources = ["etag", "last_modified", "tab_id", "url"].map { "feed_source." + $0 }
        #expect(optional == ["feed.tab_id"] + ofSources + ["item.id", "tweet.id", "user.id"])
    }

    static let timeInserts = [
        "INSERT INTO read_record VALUES ('1', ?)",
        "INSERT INTO feed VALUES (9, ?, 1700001800)",
        "INSERT INTO feed VALUES (9, 1700000000, ?)",
        "INSERT INTO tweet VALUES (11, ?, 'text', 1, 0)",
        "INSERT INTO item VALUES (1, ?)",
    ]

    @Test(
        "a time that cannot be in seconds is refused", arguments: timeInserts,
        [
            "1700000000000", "946684799", "253402300800", "0", "-1", "NULL", "'yesterday'", "1700000000.5",
        ])
    func implausibleTimeIsRefused(insert: String, time: String) throws {
        let sql = insert.replacing("?", with: time)
        let error = #expect(throws: DatabaseError.self) { try store.write { try $0.execute(sql: sql) } }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }

    @Test(
        "the first and the last second are accepted", arguments: timeInserts, [946_684_800, 253_402_300_799])
    func boundsAreAccepted(insert: String, time: Int64) throws {
        try store.write { try $0.execute(sql: insert, arguments: [time]) }
    }

    @Test("a feed that does not say when it expires does so half an hour after it was stored")
    func feedExpiresByDefault() throws {
        let remaining = try store.write { db in
            try db.execute(sql: "INSERT INTO feed (tab_id, fetched_at) VALUES (9, unixepoch() - 600)")
            return try Int.fetchOne(db, sql: "SELECT expires_at - unixepoch() FROM feed WHERE tab_id = 9")
        }
        #expect(try (1_790...1_800).contains(#require(remaining)))
    }

    @Test("a feed takes its articles along, and only its own")
    func feedTakesItsArticles() throws {
        let left = try store.write { db in
            try db.execute(sql: "DELETE FROM feed WHERE tab_id = 1")
            return try String.fetchAll(db, sql: "SELECT title FROM article")
        }
        #expect(left == ["c"])
    }

    @Test("what an older library writes gets no star, and takes none away")
    func olderLibrary() throws {
        let stars = try store.write { db in
            try db.execute(sql: "UPDATE tweet SET starred = 1 WHERE id = 10")
            for id in [10, 11] {
                try db.execute(
                    sql: """
                        INSERT INTO tweet (id, created_at, text, user_id) VALUES (?, 1700000000, 'new', 1)
                        ON CONFLICT (id) DO UPDATE SET text = excluded.text
                        """, arguments: [id])
            }
            return try Int.fetchAll(db, sql: "SELECT starred FROM tweet WHERE text = 'new' ORDER BY id")
        }
        #expect(stars == [1, 0])
    }

    @Test("a star is one or none", arguments: ["2", "NULL", "'yes'", "0.5"])
    func star(value: String) {
        let sql = "UPDATE tweet SET starred = \(value)"
        let error = #expect(throws: DatabaseError.self) { try store.write { try $0.execute(sql: sql) } }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }

    @Test(
        "a reference must lead somewhere",
        arguments: [
            "INSERT INTO tweet VALUES (11, 1700000000, 'text', 2, 0)",
            "INSERT INTO article VALUES (9, 0, 'a', 'u')",
            "DELETE FROM user WHERE id = 1",
        ])
    func danglingReferenceIsRefused(sql: String) {
        let error = #expect(throws: DatabaseError.self) { try store.write { try $0.execute(sql: sql) } }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }

    @Test(
        "what a rule looks for is found by an index",
        arguments: [
            ("SELECT id FROM read_record WHERE created_at / 86400 < 20000", "read_record_day"),
            ("SELECT id FROM tweet WHERE created_at / 86400 < 20000", "tweet_day"),
            ("SELECT id FROM item WHERE timestamp / 86400 < 20000", "item_day"),
            ("SELECT tab_id FROM feed WHERE expires_at < 1700000000", "feed_expires_at"),
            ("SELECT title FROM article WHERE tab_id = 1", "PRIMARY KEY"),
            ("SELECT id FROM tweet WHERE user_id = 1", "tweet_user"),
        ])
    func rulesAreIndexed(sql: String, index: String) throws {
        let plan = try store.read { try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN " + sql) }
        let detail: String = try #require(plan.first)["detail"]
        #expect(detail.contains("SEARCH") && detail.contains(index))
    }
}
