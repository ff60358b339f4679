import Foundation
import Testing

/// What the built-in policy leaves of a timeline: starred tweets, and the users of tweets.
@Suite struct StarTests {
    /// A store with two users who have 1,500 old tweets each, and 1,500 users without tweets.
    private func store() throws -> StateDirectory {
        let state = try StateDirectory()
        try state.reader("show").run().checked()
        try state.store.query(
            """
            CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n;
            INSERT INTO user SELECT i, 'name' || i, 'user' || i, 'p' FROM n WHERE i <= 1502;
            INSERT INTO tweet (id, created_at, text, user_id)
                SELECT i, unixepoch('now', '-1 day') - i * 1200, 'text', 1 + i % 2 FROM n;
            INSERT INTO read_record SELECT i, unixepoch('now', '-1 day') - i * 1200 FROM n;
            DROP TABLE n
            """)
        return state
    }

    private static let outdated =
        "DROP INDEX tweet_user; ALTER TABLE tweet DROP COLUMN starred; PRAGMA user_version"

    @Test("a starred tweet stays with its record and its user; without the star they go")
    func stars() throws {
        let state = try store()
        try state.reader("star", "3000").run().checked()
        try state.runNow.run().checked()
        #expect(try state.store.query("SELECT id FROM tweet WHERE id > 2500") == "3000")
        #expect(
            try state.store.query("SELECT id FROM read_record WHERE CAST(id AS INTEGER) > 2500") == "3000")
        #expect(try state.store.query("SELECT group_concat(id) FROM user") == "1,2")
        try state.reader("unstar", "3000").run().checked()
        try state.runNow.run().checked()
        #expect(try state.store.query("SELECT id FROM tweet WHERE id > 2500") == "")
        try state.store.query("DELETE FROM tweet WHERE user_id = 2")
        try state.runNow.run().checked()
        #expect(try state.store.query("SELECT group_concat(id) FROM user") == "1")
        #expect(try state.store.health() == "ok")
    }

    @Test(
        "an import while the service runs loses no user, and a user who was deleted comes back with a tweet")
    func comesBack() throws {
        let state = try store()
        try state.runNow.run().checked()
        let date = Date().formatted(.iso8601)
        try state.importing("[\(Tweets.tweet(9_000, "New", date, by: "user"))]").checked()
        try state.runNow.run().checked()
        #expect(try state.reader("timeline").run().checked().output.contains("@user "))
        #expect(try state.store.query("SELECT count(*) FROM pragma_foreign_key_check") == "0")
    }

    @Test(
        "the first start after an upgrade completes an older store, and holds nothing although most users go")
    func upgrade() throws {
        let state = try store()
        try state.store.query(Self.outdated)
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(try service.stop().status == 0)
        #expect(try state.store.query("SELECT group_concat(id) FROM user") == "1,2")
        #expect(try state.store.query("SELECT count(*) FROM tweet WHERE starred = 0") != "0")
        let status = try state.pruned("status").run().checked()
        #expect(!status.output.contains("held"), "\(status)")
        #expect(service.process.errors.contains("held") == false, "\(service.process.errors)")
    }

    @Test("an older store whose app runs is completed beside it, and by one run as well")
    func besideTheApp() throws {
        let state = try store()
        try state.store.query(Self.outdated)
        let app = try state.store.openedByApp()
        try state.runNow.run().checked()
        #expect(
            try state.store.query("SELECT count(*) FROM pragma_table_info('tweet') WHERE name = 'starred'")
                == "1")
        try app.feed(
            "INSERT INTO tweet (id, created_at, text, user_id) VALUES (9000, unixepoch(), 'new', 1);\n.quit\n"
        )
        #expect(try app.wait().status == 0)
        #expect(try state.store.query("SELECT starred FROM tweet WHERE id = 9000") == "0")
    }

    @Test(
        "until the first run after an upgrade check says what completes an older store, and changes nothing")
    func check() throws {
        let state = try store()
        try state.store.query(Self.outdated)
        let schema = "SELECT group_concat(sql) FROM sqlite_schema"
        let before = try state.store.query(schema)
        let ended = try state.pruned("check").run()
        #expect(ended.status == 1 && ended.errors.contains("by `pruned --run-now`"), "\(ended)")
        #expect(try state.store.query(schema) == before)
        try state.runNow.run().checked()
        try state.pruned("check").run().checked()
    }

    @Test("a policy from before the stars prunes an older store as before, and leaves its tables as they are")
    func olderPolicy() throws {
        let state = try store()
        try state.store.query(Self.outdated)
        let schema = "SELECT group_concat(sql) FROM sqlite_schema"
        let before = try state.store.query(schema)
        let file = try state.configuration(
            """
            [store.reader]
            path = "shared/reader.sqlite"
            [rule.timeline]
            table = "tweet"
            age_column = "created_at"
            keep = "30d"
            """)
        try state.pruned("--run-now", "--config", file).run().checked()
        #expect(try state.store.query("SELECT count(*) FROM tweet WHERE id > 2500") == "0")
        #expect(try state.store.query(schema) == before)
    }

    @Test("a database of another app at the store's place is not completed")
    func foreign() throws {
        let state = try StateDirectory()
        try FileManager.default.createDirectory(
            atPath: state.path + "/shared", withIntermediateDirectories: true)
        try state.store.query(
            "CREATE TABLE tweet (id INTEGER PRIMARY KEY, created_at INTEGER); INSERT INTO tweet VALUES (1, 1)"
        )
        let ended = try state.runNow.run()
        #expect(ended.status == 1, "\(ended)")
        #expect(try state.store.query("SELECT count(*) FROM sqlite_schema") == "1")
    }
}
