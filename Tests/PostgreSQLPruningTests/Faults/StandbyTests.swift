import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Standbys and replicas", .serialized,
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct StandbyTests {
    private static let pair = Result {
        let primary = try PostgreSQLServer.start()
        return (primary: primary, standby: try primary.standby())
    }

    private let primary: PostgreSQLServer
    private let standby: PostgreSQLServer
    private let news: PrunedNews

    init() throws {
        (primary, standby) = try Self.pair.get()
        news = try PrunedNews(on: primary)
        try primary.psql("GRANT pg_read_all_stats TO \(news.role)")
        try primary.waitForReplay(by: standby)
    }

    private static func url(_ servers: [PostgreSQLServer], _ news: PrunedNews) -> String {
        let hosts = servers.map(\.socketDirectory).joined(separator: ",")
        return "host=\(hosts) port=5432 dbname=\(news.database.name) user=\(news.role)"
    }

    @Test("A run on a standby is to be tried again, and says why")
    func standbyAlone() throws {
        let url = standby.url(database: news.database.name, user: news.role)
        let report = try news.run(on: try news.store(at: url))
        #expect(report.outcome == .skipped, "\(report)")
        #expect(report.failure?.kind == .fault(.busy))
        #expect(report.failure?.cause.contains("standby") == true, "\(report)")
        #expect(report.failure?.hint?.contains("primary") == true, "\(report)")
    }

    @Test("Of several hosts the primary is found; without one the run is to be tried again")
    func severalHosts() throws {
        let none = try news.run(on: try news.store(at: Self.url([standby, standby], news)))
        #expect(none.outcome == .skipped, "\(none)")
        #expect(none.failure?.hint?.contains("primary") == true, "\(none)")
        let report = try news.run(on: try news.store(at: Self.url([standby, primary], news)))
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.gone() == news.expired)
    }

    /// A clock that a test moves on.
    private final class ShiftedClock: Sendable {
        private let offset = Mutex(Duration.zero)
        func advance(by duration: Duration) { offset.withLock { $0 += duration } }
        var monotonic: @Sendable () -> Duration {
            { self.offset.withLock { $0 } + systemMonotonic() }
        }
    }

    @Test("A run waits while a replica is too far behind, and goes on when it has caught up")
    func waits() throws {
        let (news, standby, clock, deed) = (news, standby, ShiftedClock(), Deed())
        let batches = Mutex(0)
        try standby.setReplay(paused: true)
        defer { try? standby.setReplay(paused: false) }
        let store = try news.store(maxLag: Span(10, .second), monotonic: clock.monotonic)
        let report = try news.run(
            on: store, control: RunControl(monotonic: clock.monotonic)
        ) { number in
            batches.withLock { $0 = number }
            if number < 3 { clock.advance(by: .seconds(20)) }
            guard number == 2 else { return }
            Thread.detachNewThread {
                deed.perform {
                    defer { try? standby.setReplay(paused: false) }
                    // It looks at the replica again and again.
                    var looks: Set<String> = []
                    try wait(for: "the waiting") {
                        looks.insert(
                            try news.database.psql(
                                """
                                SELECT query_start FROM pg_stat_activity WHERE usename = '\(news.role)'
                                AND application_name = 'pruned'
                                """))
                        return looks.count > 3
                    }
                    #expect(batches.withLock { $0 } == 2)
                }
            }
        }
        try deed.check()
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.gone() == news.expired)
    }

    @Test("A replica that never catches up ends the run, which is to be tried again")
    func neverCatchesUp() throws {
        let clock = ShiftedClock()
        try standby.setReplay(paused: true)
        defer { try? standby.setReplay(paused: false) }
        let store = try news.store(
            maxLag: Span(10, .second), monotonic: clock.monotonic)
        let report = try news.run(
            on: store, longestRelief: .milliseconds(100), control: RunControl(monotonic: clock.monotonic)
        ) { if $0 < 3 { clock.advance(by: .seconds(20)) } }
        #expect(report.outcome == .skipped, "\(report)")
        #expect(report.failure?.cause.contains("standby is") == true, "\(report)")
        #expect(report.batches == 2)
        #expect(try news.gone() == Int(report.deleted))
    }

    @Test("A run waits while a slot whose reader is away keeps too much log, and its end names the slot")
    func fullSlot() throws {
        let slot = "away_\(news.database.name)"
        let most = ByteCount(16_000_000)
        let said = Mutex<[StoreError]>([])
        let store = try news.store(maxSlotLog: most)
        func run() throws -> RuleReport {
            try news.run(
                on: store, longestRelief: .milliseconds(100),
                onWait: { error in said.withLock { $0.append(error) } })
        }
        func remarks() throws -> [String] {
            let view = try store.openView(RunControl(monotonic: systemMonotonic))
            defer { view.close() }
            return try view.remarks(before: PruneTask(news.rule, start: runStart, in: .gmt))
        }
        #expect(try remarks() == [])
        try primary.psql("SELECT pg_create_physical_replication_slot('\(slot)', true)")
        defer { _ = try? primary.psql("SELECT pg_drop_replication_slot('\(slot)')") }
        try primary.psql(
            "SELECT pg_logical_emit_message(false, 'pruned', repeat('x', 1000000)) FROM generate_series(1, 20)"
        )
        let report = try run()
        #expect(report.outcome == .skipped, "\(report)")
        // The log grows meanwhile.
        func names(_ text: String?) -> Bool {
            text?.contains("slot \(slot) keeps 2") == true
                && text?.contains("MB of log, and max_slot_wal is 16MB") == true
        }
        #expect(names(report.failure?.cause), "\(report)")
        // A person who watches is told at once, and whoever looks before the run is told, too.
        let causes = said.withLock { $0.map(\.cause) }
        #expect(causes.count == 1 && names(causes.first), "\(causes)")
        #expect(try remarks().contains { $0.hasPrefix("a run waits: ") && names($0) })
        #expect(report.deleted == 0 && report.batches == 0, "\(report)")
        // What the hint advises.
        let advice = "SELECT pg_drop_replication_slot('\(slot)')"
        #expect(report.failure?.hint?.contains(advice) == true, "\(report)")
        try primary.psql(advice)
        #expect(try run().outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test("A role that may not see the slots is told which rights it lacks, and deletes nothing")
    func hiddenSlots() throws {
        let database = news.database
        try database.psql(
            "REVOKE SELECT ON pg_replication_slots FROM public; REVOKE EXECUTE ON FUNCTION pg_get_replication_slots() FROM public"
        )
        let store = try news.store(maxSlotLog: ByteCount(1_000_000_000))
        let report = try news.run(on: store)
        #expect(report.failure?.kind == .fault(.schema) && report.deleted == 0, "\(report)")
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        #expect(throws: StoreError.self) { try view.validate(news.rule) }
        // What the hint advises.
        try database.psql(try #require(report.failure?.hint))
        try view.validate(news.rule)
        #expect(try news.run(on: store).outcome == .done)
    }

    @Test("A role that may not see the replicas is told which right it lacks, and deletes nothing")
    func hidden() throws {
        try primary.psql("REVOKE pg_read_all_stats FROM \(news.role)")
        let report = try news.run(on: try news.store(maxLag: Span(10, .second)))
        #expect(report.failure?.kind == .fault(.schema), "\(report)")
        #expect(report.failure?.cause.contains("standby") == true)
        #expect(report.failure?.hint == "GRANT pg_read_all_stats TO \"\(news.role)\"", "\(report)")
        #expect(try news.gone() == 0)
        let view = try news.store(maxLag: Span(10, .second)).openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        #expect(throws: StoreError.self) { try view.validate(news.rule) }
        #expect(try news.run().outcome == .done)
    }

    @Test("A dead synchronous standby does not hold the commits of a run")
    func synchronous() throws {
        let server = try PostgreSQLServer.start()
        let news = try PrunedNews(on: server)
        try server.loseSynchronousStandby()
        let report = try news.run()
        #expect(report.outcome == .done, "\(report)")
        #expect(try news.gone() == news.expired)
    }

    @Test("After a promotion in mid-run the run ends, and the next one works on the new primary")
    func promotion() throws {
        let old = try PostgreSQLServer.start()
        let new = try old.standby()
        let (news, deed) = (try PrunedNews(on: old), Deed())
        let store = try news.store(at: Self.url([old, new], news))
        let report = try news.run(on: store) {
            guard $0 == 2 else { return }
            deed.perform {
                try old.waitForReplay(by: new)
                try old.stop(.immediate)
                try new.promote()
            }
        }
        try deed.check()
        #expect(report.outcome == .skipped || report.outcome == .failed, "\(report)")
        #expect(report.batches == 2)
        func left() throws -> Int {
            Int(try new.psql("SELECT count(*) FROM items", database: news.database.name)) ?? -1
        }
        #expect(try left() == news.articles - Int(report.deleted))
        let next = try news.run(on: store)
        #expect(next.outcome == .done, "\(next)")
        #expect(try left() == news.articles - news.expired)
    }
}
