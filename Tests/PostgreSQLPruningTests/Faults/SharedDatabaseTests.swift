import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Several hosts and a pooler",
    .enabled(
        if: PostgreSQLPrograms.installed != nil && PgBouncer.isInstalled, "\(PostgreSQLPrograms.comment)"))
struct SharedDatabaseTests {
    private let news: PrunedNews
    private let pooler: PgBouncer
    private var pooled: String { pooler.url(database: news.database.name, user: news.role) }

    init() throws {
        news = try PrunedNews()
        pooler = try PgBouncer(before: news.database.server, users: [news.role])
    }

    @Test("Of two runs at once, one by way of a pooler, one deletes and the other says who does")
    func twoRuns() throws {
        let news = news
        let second = Mutex<RuleReport?>(nil)
        let deed = Deed()
        let other = try news.store(at: pooled, holder: "pruned other:2")
        let report = try news.run(on: try news.store(holder: "pruned first:1")) {
            guard $0 == 1 else { return }
            deed.perform {
                let report = try news.run(on: other)
                second.withLock { $0 = report }
            }
        }
        try deed.check()
        let refused = try #require(second.withLock { $0 })
        #expect(refused.outcome == .skipped && refused.deleted == 0, "\(refused)")
        #expect(refused.failure?.cause.contains("pruned first:1") == true, "\(refused)")
        #expect(report.outcome == .done, "\(report)")
        #expect(Int(report.deleted) == news.expired)
        #expect(try news.gone() == news.expired)
    }

    @Test("Two clients of one pooler cannot both claim a database, and a claim ends with its run")
    func claims() throws {
        let control = RunControl(monotonic: systemMonotonic)
        let address = Address(text: pooled, place: "here")
        let first = try RunClaim(address, holder: "pruned first:1", control)
        let error = #expect(throws: StoreError.self) {
            try RunClaim(address, holder: "pruned second:2", control)
        }
        #expect(error?.kind == .busy)
        #expect(error?.cause.contains("pruned first:1") == true, "\(String(describing: error))")
        let store = try news.store(at: pooled)
        #expect(store.claimHolder()?.hasPrefix("pruned first:1") == true)
        try first.check()
        first.release()
        let third = try RunClaim(address, holder: "pruned third:3", control)
        third.release()
        try wait(for: "the end of the claim") { store.claimHolder() == nil }
    }

    @Test("Of two stores in a database, the run of the one waits for that of the other in its process")
    func oneProcess() throws {
        let news = news
        let second = Mutex<RuleReport?>(nil)
        let deed = Deed()
        let group = DispatchGroup()
        let other = try news.store(at: pooled)
        let report = try news.run {
            guard $0 == 1 else { return }
            deed.perform {
                DispatchQueue.global().async(group: group) {
                    deed.perform {
                        let report = try news.run(on: other)
                        second.withLock { $0 = report }
                    }
                }
                try wait(for: "the other run's claim") {
                    try news.database.psql(
                        """
                        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                        AND query LIKE '%pg_control_system%' AND state = 'idle in transaction'
                        """) == "1"
                }
            }
        }
        group.wait()
        try deed.check()
        #expect(report.outcome == .done && Int(report.deleted) == news.expired, "\(report)")
        let waited = try #require(second.withLock { $0 })
        #expect(waited.outcome == .done && waited.deleted == 0, "\(waited)")
    }

    @Test("A run by way of a pooler is right, prepares nothing, and leaves no setting to the next client")
    func poolerAlone() throws {
        let server = try PostgreSQLServer.start(
            configuration: PostgreSQLConfiguration(["log_statement": "all"]))
        let news = try PrunedNews(
            on: server, "CREATE TABLE labels (item int REFERENCES items); INSERT INTO labels VALUES (1), (2)")
        let pooler = try PgBouncer(before: server, users: [news.role])
        var rule = news.rule
        rule.keptBy = [ColumnReference(table: "labels", column: "item")]
        let url = pooler.url(database: news.database.name, user: news.role)
        for rule in [rule, news.rule] {
            let report = try news.run(rule, on: try news.store(at: url))
            guard rule.keptBy.isEmpty else {
                #expect(report.outcome == .done, "\(report)")
                continue
            }
            // Rows 1 and 2 are left, and the foreign key holds them.
            #expect(report.failure?.kind == .fault(.schema), "\(report)")
        }
        #expect(try news.gone() == news.expired - 2)
        let lines = server.log.split(separator: "\n").filter { $0.contains(" \(news.role)@") }
        #expect(lines.contains { $0.contains("DELETE FROM") })
        #expect(!lines.contains { $0.contains("execute pruned") })
        let settings = lines.flatMap { $0.split(separator: ";") }.filter { $0.contains("SET ") }
        // The pooler itself keeps the clients' names up to date.
        let lasting = settings.filter { !$0.contains("SET LOCAL ") && !$0.contains("SET application_name=") }
        #expect(lasting.isEmpty, "\(lasting)")
    }

    @Test("A run of which the pooler has no second connection left ends, and deletes nothing")
    func tooSmallPool() throws {
        let pooler = try PgBouncer(
            before: news.database.server, users: [news.role], poolSize: 1,
            settings: ["query_wait_timeout": "1"])
        let report = try news.run(
            on: try news.store(at: pooler.url(database: news.database.name, user: news.role)))
        #expect(report.outcome != .done, "\(report)")
        #expect(try news.gone() == 0)
    }
}
