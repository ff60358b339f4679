import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

@Suite(
    "A stop inside of a long statement",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct StopTests {
    /// Articles of which each is compared with each pair of 3,000 rows: no index and no hash finds a product.
    private static func slowNews() throws -> PrunedNews {
        try PrunedNews("CREATE TABLE slow (n int); INSERT INTO slow SELECT generate_series(1, 3000)")
    }

    private func slowRule(_ news: PrunedNews) -> RetentionRule {
        var rule = news.rule
        rule.condition = "NOT EXISTS (SELECT 1 FROM slow a, slow b WHERE a.n * b.n = items.id - 10000)"
        return rule
    }

    /// Whether the count itself runs, not the question of its plan before it.
    private func counting(_ news: PrunedNews) throws -> Bool {
        try news.database.psql(
            """
            SELECT count(*) FROM pg_stat_activity WHERE usename = '\(news.role)' AND state = 'active'
            AND query LIKE '%count(*)%slow%' AND query NOT LIKE 'EXPLAIN%'
            """) != "0"
    }

    @Test("A count shows that it lives, and a stop cancels it on the server")
    func cancelled() throws {
        let (news, deed) = (try Self.slowNews(), Deed())
        let shift = Mutex(Duration.zero)
        let clock: @Sendable () -> Duration = { shift.withLock { $0 } + systemMonotonic() }
        let control = RunControl(monotonic: clock)
        Thread.detachNewThread {
            deed.perform {
                defer { control.requestStop("stopped by SIGTERM") }
                try wait(for: "the count") { try counting(news) }
                shift.withLock { $0 += .seconds(3_600) }
                try wait(for: "a beat of the count") { control.isAlive(within: .seconds(60)) }
                #expect(try counting(news))
            }
        }
        let report = try news.run(
            slowRule(news), on: try news.store(monotonic: clock), control: control)
        try deed.check()
        #expect(report.outcome == .stopped, "\(report)")
        #expect(report.failure?.cause.contains("SIGTERM") == true, "\(report)")
        try wait(for: "the end of the statement") { try !counting(news) }
        #expect(try news.gone() == 0)
    }

    @Test(
        "A stop ends the run when the server falls silent while the run is claimed, or its claim is tested",
        arguments: ["SELECT pg_try_advisory_xact_lock", "SELECT 1"])
    func silentClaim(statement: String) throws {
        let (news, deed) = (try PrunedNews(), Deed())
        let control = RunControl(monotonic: systemMonotonic)
        let proxy = try CuttingProxy(
            before: news.database.server, [.init(.silence) { $0.hasPrefix(statement) }])
        Thread.detachNewThread {
            deed.perform {
                defer { control.requestStop("stopped by SIGTERM") }
                try wait(for: "the claim") { proxy.cuts == 1 }
            }
        }
        let store = try news.store(at: proxy.url(database: news.database.name, user: news.role))
        let report = try news.run(on: store, control: control)
        try deed.check()
        #expect(report.outcome == .stopped, "\(report)")
        #expect(try news.gone() == 0)
    }

    @Test("A stop ends a count even when the server does not heed it")
    func unheeded() throws {
        let (news, deed) = (try Self.slowNews(), Deed())
        let control = RunControl(monotonic: systemMonotonic)
        let stopped = Mutex<[pid_t]>([])
        Thread.detachNewThread {
            deed.perform {
                defer { control.requestStop("stopped by SIGTERM") }
                try wait(for: "the count") { try counting(news) }
                for process in try news.backends().split(separator: "\n").compactMap({ pid_t($0) }) {
                    kill(process, SIGSTOP)
                    stopped.withLock { $0.append(process) }
                }
            }
        }
        let report = try news.run(slowRule(news), control: control)
        for process in stopped.withLock({ $0 }) { kill(process, SIGCONT) }
        try deed.check()
        #expect(report.outcome == .stopped, "\(report)")
        try wait(for: "the end of the statement") { try !counting(news) }
    }
}
