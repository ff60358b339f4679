import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Work of an index that is due at once",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct PendingListTests {
    @Test(
        "A mark that has a GIN index enter its whole pending list takes longer than a batch may, and the run goes on"
    )
    func flush() throws {
        let news = try PrunedNews(
            """
            ALTER TABLE items ADD state int NOT NULL DEFAULT 0, ADD words tsvector;
            CREATE INDEX ON items (state); CREATE INDEX words ON items USING gin (words)
            WITH (fastupdate = on, gin_pending_list_limit = 1000000);
            UPDATE items SET words = (SELECT array_to_tsvector(array_agg(md5((id * k)::text))) FROM generate_series(1, 40) k);
            ALTER INDEX words SET (gin_pending_list_limit = 64)
            """)
        var rule = news.rule
        rule.action = .mark([MarkedColumn("state", .integer(1))])
        // Ten times as long as a batch may take is not enough.
        let report = try news.run(rule, on: try news.store(lockTime: .milliseconds(2)))
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.database.psql("SELECT count(*) FROM items WHERE state = 1") == "\(news.expired)")
    }
}
