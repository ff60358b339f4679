import Foundation
import Testing

/// What SQLite keeps of the pages that a statement changes, in case it fails half-way.
@Suite(.tracing) struct StatementJournalTests {
    @Test("a batch that cascades cannot fail half-way, and needs no file for what it has changed")
    func cascade() throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        let store = Database(path: state.path + "/feeds.sqlite")
        try store.query(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE feed (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE article (
                feed INTEGER REFERENCES feed ON DELETE CASCADE, position, title, PRIMARY KEY (feed, position)
            ) WITHOUT ROWID;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO feed SELECT i, unixepoch() - 86400 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
            INSERT INTO article SELECT id, i, 'About an article as long as titles are' FROM feed, n;
            """)
        var program = try state.runNow(
            configuration: """
                store.feeds.path = "feeds.sqlite"
                rule.feeds = { table = "feed", age_column = "at", keep = "1h", dependents = ["article"], \
                guard = { max_share = 1 } }
                """)
        let calls = try state.sandbox.write("calls", "")
        program.prefix = ["strace", "-f", "-qq", "-o", calls, "-e", "trace=openat"]
        try program.run().checked()
        #expect(try store.count("SELECT (SELECT count(*) FROM feed) + (SELECT count(*) FROM article)") == 0)
        #expect(state.sandbox.text("calls").contains("feeds.sqlite-wal"))
        #expect(!state.sandbox.text("calls").contains("/etilqs_"))
    }
}
