import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "A connection that ends in mid-run",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct LostConnectionTests {
    private let news: PrunedNews

    init() throws { news = try PrunedNews() }

    private func terminate(_ application: String, _ deed: Deed) {
        deed.perform {
            for process in try news.backends(named: application).split(separator: "\n") {
                try news.database.psql("SELECT pg_terminate_backend(\(process), 10000)")
            }
        }
    }

    @Test("Without the claim nothing more is deleted, and the run is to be tried again")
    func claim() throws {
        let deed = Deed()
        let report = try news.run { if $0 == 2 { terminate("pruned test:1", deed) } }
        try deed.check()
        #expect(report.outcome == .skipped, "\(report)")
        #expect(report.failure?.cause.contains("claim was lost") == true, "\(report)")
        #expect(report.batches == 2)
        #expect(try Int(report.deleted) == news.gone())
        #expect(try news.run().outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test("The worker's end loses nothing that is counted, and the next run goes on")
    func worker() throws {
        let deed = Deed()
        let report = try news.run { if $0 == 2 { terminate("pruned", deed) } }
        try deed.check()
        #expect(report.outcome == .failed, "\(report)")
        #expect(report.failure?.kind == .fault(.inputOutput), "\(report)")
        #expect(report.failure?.cause.contains("terminating connection") == true, "\(report)")
        #expect(try Int(report.deleted) == news.gone())
        #expect(try news.run().outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test("The view's end while it counts is an error, and nothing is deleted")
    func view() throws {
        let proxy = try CuttingProxy(
            before: news.database.server, [.init(.afterAnswer) { $0.contains("count(*)") }])
        let store = try news.store(at: proxy.url(database: news.database.name, user: news.role))
        let report = try news.run(on: store)
        #expect(proxy.cuts == 1)
        #expect(report.failure?.kind == .fault(.inputOutput), "\(report)")
        #expect(try news.gone() == 0)
        #expect(try news.run(on: store).outcome == .done)
    }

    @Test("The claim keeps no snapshot, whatever isolation the role has by default")
    func snapshot() throws {
        let (news, deed) = (news, Deed())
        try news.database.psql("ALTER ROLE \(news.role) SET default_transaction_isolation = 'serializable'")
        let report = try news.run {
            guard $0 == 2 else { return }
            deed.perform {
                let held = try news.database.psql(
                    """
                    SELECT application_name, state, query FROM pg_stat_activity WHERE usename = '\(news.role)'
                    AND backend_xmin IS NOT NULL
                    """)
                #expect(held.isEmpty)
            }
        }
        try deed.check()
        #expect(report.outcome == .done, "\(report)")
    }
}
