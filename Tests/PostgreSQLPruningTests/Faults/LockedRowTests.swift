import Foundation
import Ledger
import Pruning
import TestSupport
import Retention
import TerminalText
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Rows and tables that others have locked",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct LockedRowTests {
    /// Locks every second row.
    private func lock(_ news: PrunedNews) throws -> PsqlSession {
        let session = try news.database.session(user: news.owner)
        try session.run("BEGIN")
        try session.run("SELECT count(*) FROM (SELECT FROM items WHERE id % 2 = 0 FOR UPDATE) locked")
        return session
    }

    private let free = { (id: Int) in PrunedNews.hasExpired(id) && id % 2 == 1 }

    @Test("Of a table with 6,000 scattered locks, everything else goes, and the run says what it skipped")
    func scattered() throws {
        // A transaction of another database that is older than the rows.
        let other = try PrunedNews(articles: 1)
        let long = try other.database.session(user: other.owner)
        try long.run("BEGIN")
        try long.run("SELECT pg_current_xact_id()")
        let news = try PrunedNews(articles: 12_000)
        let session = try lock(news)
        let report = try news.run()
        let locked = news.expired - Int(report.deleted)
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.locked), "\(report)")
        #expect(
            report.failure?.cause
                == "\(locked.grouped) of \(news.expired.grouped) expired rows were skipped: others have them locked"
        )
        #expect(Int(report.deleted) == (1...12_000).filter(free).count)
        #expect(try news.gone() == Int(report.deleted))
        try session.run("ROLLBACK")
        #expect(try news.run().outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test(
        "What is locked of a confirmed deletion stays confirmed, and nothing else",
        arguments: AccessPath.allCases)
    func confirmed(path: AccessPath) throws {
        let news = try PrunedNews("CREATE INDEX ON items (at)")
        let directory = try TemporaryDirectory()
        let ledger = Ledger(stateDirectory: directory.path)
        var rule = news.rule
        rule.holdLimits = .standard
        func run() throws -> RuleReport {
            let report = PruneRun.report(
                [rule], on: [try news.store()], accessPath: path,
                memory: GuardMemory(lastRuns: [:], holds: ledger.holds()), holds: ledger
            ).rules[0]
            try ledger.record([report], at: runStart)
            return report
        }
        #expect(try run().outcome == .held)
        _ = try ledger.confirm("old", at: runStart)
        let session = try news.database.session(user: news.owner)
        try session.run("BEGIN")
        try session.run("SELECT count(*) FROM (SELECT FROM items FOR UPDATE) locked")
        let skipped = try run()
        #expect(skipped.outcome == .skipped && skipped.deleted == 0, "\(skipped)")
        #expect(skipped.failure?.kind == .fault(.locked), "\(skipped)")
        try session.run("ROLLBACK")
        let report = try run()
        #expect(report.outcome == .done && Int(report.deleted) == news.expired, "\(report)")
        #expect(ledger.holds()["old"] == nil)
    }

    @Test("Rows that are unlocked during the run are visited again at its end")
    func revisited() throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let session = try lock(news)
        let report = try news.run { if $0 == 3 { deed.perform { try session.run("ROLLBACK") } } }
        try deed.check()
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.gone() == news.expired)
        #expect(Int(report.deleted) == news.expired)
    }

    @Test("A locked table is waited for as long as patience lasts, then the run is to be tried again")
    func table() throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let session = try news.database.session(user: news.owner)
        let report = try news.run {
            guard $0 == 2 else { return }
            deed.perform {
                try session.run("BEGIN")
                try session.run("LOCK TABLE items")
            }
        }
        try deed.check()
        #expect(report.outcome == .skipped, "\(report)")
        #expect(report.failure?.kind == .fault(.busy), "\(report)")
        #expect(report.batches == 2)
        let second = try news.run()
        #expect(second.outcome == .skipped && second.deleted == 0, "\(second)")
        try session.run("COMMIT")
        #expect(try Int(report.deleted) == news.gone())
        #expect(try news.run().outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test("A star that is committed while a plain DELETE waits for its row keeps the row")
    func star() throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let session = try news.database.session(user: news.owner)
        try session.run("BEGIN")
        try session.run("UPDATE items SET starred = true WHERE id = 1")
        Thread.detachNewThread {
            deed.perform {
                try wait(for: "a waiting batch") {
                    try news.database.psql(
                        """
                        SELECT count(*) FROM pg_stat_activity WHERE usename = '\(news.role)' AND wait_event_type = 'Lock'
                        """) != "0"
                }
                try session.run("COMMIT")
            }
        }
        let report = try news.run(on: try news.store(lockTime: .seconds(20)))
        try deed.check()
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.database.psql("SELECT count(*) FROM items WHERE id = 1") == "1")
        #expect(try news.gone() == news.expired - 1)
        #expect(Int(report.deleted) == news.expired - 1)
    }

    enum Label: CaseIterable { case keeperWithKey, keeper, subquery }

    @Test("A label that is committed in mid-run keeps its row", arguments: Label.allCases)
    func label(kind: Label) throws {
        let reference = kind == .keeperWithKey ? "REFERENCES items" : ""
        let news = try PrunedNews(
            "CREATE TABLE labels (item int \(reference)); CREATE INDEX ON labels (item)")
        let deed = Deed()
        var rule = news.rule
        switch kind {
        case .keeperWithKey, .keeper: rule.keptBy = [ColumnReference(table: "labels", column: "item")]
        case .subquery: rule.protect.append("EXISTS (SELECT 1 FROM labels l WHERE l.item = items.id)")
        }
        let session = try news.database.session(user: news.owner)
        try session.run("BEGIN")
        // As an app does it that wants the row to stay while it labels it; a foreign key does the same.
        if kind != .keeperWithKey { try session.run("SELECT FROM items WHERE id = 1 FOR KEY SHARE") }
        try session.run("INSERT INTO labels VALUES (1)")
        let report = try news.run(rule) { if $0 == 1 { deed.perform { try session.run("COMMIT") } } }
        try deed.check()
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.database.psql("SELECT count(*) FROM items WHERE id = 1") == "1")
        #expect(try news.gone() == news.expired - 1)
        #expect(Int(report.deleted) == news.expired - 1)
    }

    @Test("An app that locks children before parents is never the victim of a deadlock")
    func deadlock() throws {
        let news = try PrunedNews(
            """
            CREATE TABLE labels (item int REFERENCES items ON DELETE CASCADE, n int);
            CREATE INDEX ON labels (item);
            INSERT INTO labels SELECT id, 0 FROM items
            """)
        var rule = news.rule
        rule.dependents = ["labels"]
        // 2 of 3 of these rows expire; what the app changes moves, so it may be left to the next run.
        let app = try Pgbench(
            on: news.database.url(user: news.owner),
            script: """
                \\set id random(1, 6000)
                BEGIN;
                UPDATE labels SET n = n + 1 WHERE item = :id;
                UPDATE items SET body = body WHERE id = :id;
                COMMIT;

                """, rate: nil, seconds: 60, clients: 2)
        try wait(for: "the app") {
            try news.database.psql("SELECT count(*) > 0 FROM labels WHERE n > 0") == "t"
        }
        let reports = try (0..<3).map { _ in try news.run(rule) }
        app.stop()
        _ = try app.finish()
        #expect(reports.allSatisfy { $0.outcome == .done || $0.outcome == .skipped }, "\(reports)")
        #expect(try news.gone() == reports.reduce(0) { $0 + Int($1.deleted) })
        #expect(try news.run(rule).outcome == .done)
        #expect(try news.gone() == news.expired)
        #expect(try news.database.psql("SELECT count(*) FROM labels") == "\(news.articles - news.expired)")
    }
}
