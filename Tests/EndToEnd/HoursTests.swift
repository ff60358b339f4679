import Foundation
import TestSupport
import Testing

/// Rules with `between` and `max_run`.
@Suite struct HoursTests {
    private let state: StateDirectory

    private func expired() throws -> Int {
        try state.store.count("SELECT count(*) FROM read_record WHERE created_at < unixepoch() - 100 * 86400")
    }

    /// More expired rows than a quiet rule deletes in a few seconds.
    init() throws {
        state = try StateDirectory.holding(expired: 30_000, fresh: 100)
    }

    private func configuration(_ more: String) throws -> String {
        try state.configuration(
            """
            time_zone = "GMT"
            metrics_file = "\(state.sandbox.path)/pruned.prom"
            guard.max_share = 1
            store.reader.path = "shared/reader.sqlite"
            [rule.read-records]
            table = "read_record"
            age_column = "created_at"
            keep = "30d"
            quiet = true
            \(more)
            """)
    }

    @Test("a run that takes max_run stops, ends as done does, says what is left, and the next goes on")
    func longestRun() throws {
        let file = try configuration("max_run = \"1s\"")
        let run = try state.pruned("--run-now", "--json", "--config", file).run().checked()
        let rule = try #require(try run.report()["read-records"])
        let left = try expired()
        #expect(rule.outcome == "stopped" && rule.deleted > 0 && left > 0, "\(run)")
        #expect(rule.expired.map { Int($0) - Int(rule.deleted) } == left)
        #expect(rule.reason == "its run has taken 1s (max_run)")

        let status = try state.pruned("status", "--json", "--config", file).run().checked()
        let shown = try #require(try status.statusReport()["read-records"])
        #expect(shown.state == "stopped" && shown.waitsFor == "next_run" && shown.rowsLeft == left)
        #expect(shown.nextRunAt.map { $0.timeIntervalSinceNow > 80_000 } == true && !shown.due, "\(shown)")
        let metrics = try MetricsReading(state.sandbox.path + "/pruned.prom")
        #expect(metrics["pruned_rows_left{rule=\"read-records\"}"] == Double(left))
        #expect(metrics["pruned_backlog_grows{rule=\"read-records\"}"] == 0)

        let text = try state.pruned("--run-now", "--config", file).run().checked().output
        let rest = try expired()
        #expect(rest < left)
        #expect(
            text.contains(
                "read-records: \(rest.formatted(.number.locale(Locale(identifier: "en_US")))) expired rows are left"
            ), "\(text)")
    }

    @Test("status and metrics say that more expires than is deleted, once three runs have left more each")
    func growing() throws {
        let file = try configuration("max_run = \"1s\"")
        for _ in 0..<3 {
            try state.pruned("--run-now", "--config", file).run().checked()
            try state.store.query(
                """
                WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO read_record SELECT hex(randomblob(8)), 1000000000 FROM n
                """)
        }
        let status = try state.pruned("status", "--config", file).run().checked().output
        #expect(status.contains("more after each of the last 3 runs"), "\(status)")
        #expect(status.contains("lengthen between or max_run"), "\(status)")
        let metrics = try MetricsReading(state.sandbox.path + "/pruned.prom")
        #expect(metrics["pruned_backlog_grows{rule=\"read-records\"}"] == 1)
    }

    @Test(
        "the service runs a rule in its hours only, stops at their end, and goes on in the next", .fakingTime)
    func service() throws {
        let file = try configuration("between = \"02:00-05:00\"")
        let clock = try FakeClock(offset: "@2026-12-01 12:00:00", in: state.sandbox)
        let before = try expired()
        let noon = try Service(on: state, arguments: ["--config", file], clock: clock)
        #expect(
            try noon.waitUntilReady().contains("next: read-records at 2026-12-02 02:00:00"), "\(noon.heard)")
        try noon.stop()
        #expect(try expired() == before)

        try state.forgetClock()
        try clock.set("@2026-12-02 04:59:57")
        let night = try Service(on: state, arguments: ["--config", file], clock: clock)
        try night.hear { $0.contains("Idle; next: read-records at 2026-12-03 02:00:00") }
        let ended = try night.stop()
        #expect(ended.errors.contains("its hours end at 05:00 (between)"), "\(ended)")
        let left = try expired()
        #expect(left > 0 && left < before)

        try clock.set("@2026-12-02 05:00:30")
        let status = try clock.applied(to: state.pruned("status", "--json", "--config", file)).run().checked()
        let shown = try #require(try status.statusReport()["read-records"])
        #expect(shown.state == "stopped" && !shown.due && shown.rowsLeft == left)
        #expect(shown.nextRunAt == (try Date("2026-12-03T02:00:00Z", strategy: .iso8601)))

        try state.forgetClock()
        try clock.set("@2026-12-03 02:00:01")
        let next = try Service(on: state, arguments: ["--config", file], clock: clock)
        try eventually("it to go on") { try expired() < left }
        try next.stop()

        try state.forgetClock()
        try clock.set("@2026-12-03 12:00:00")
        let rest = try expired()
        try clock.applied(
            to: state.pruned(
                "--run-now", "--config", configuration("between = \"02:00-05:00\"\nmax_run = \"1s\""))
        )
        .run().checked()
        #expect(try expired() < rest)
    }

    @Test("a person's run and a person's signal do not wait for the hours", .fakingTime)
    func byHand() throws {
        let file = try configuration("between = \"02:00-05:00\"")
        let clock = try FakeClock(offset: "@2026-12-01 12:00:00", in: state.sandbox)
        try state.forgetClock()
        let service = try Service(on: state, arguments: ["--config", file], clock: clock)
        try service.waitUntilReady()
        let before = try expired()
        service.process.send(SIGUSR1)
        try eventually("rows to go") { try expired() < before }
        try service.stop()
    }
}

extension StateDirectory {
    /// As if the machine had been off since: time passes faster here than a machine that is on would believe.
    fileprivate func forgetClock() throws { try ledger.query("DELETE FROM clock") }
}
