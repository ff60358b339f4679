import Foundation
import Pruning
import Retention
import TestSupport
import Testing

struct HoldLedgerTests {
    private let directory: TemporaryDirectory
    private let ledger: HoldLedger
    private let rule = RetentionRule(
        name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))

    init() throws {
        directory = try TemporaryDirectory()
        ledger = HoldLedger(stateDirectory: directory.path)
    }

    private func report(
        _ outcome: Outcome, of rule: RetentionRule? = nil, expired: Int64 = 1_000, change: RuleChange? = nil
    ) -> RuleReport {
        let task = PruneTask(rule ?? self.rule, start: runStart, in: .gmt)
        var report = RuleReport(task, outcome: outcome)
        guard outcome == .held else { return report }
        report.held = HeldRule(
            task.rule, place: "/s", cutoff: task.cutoff, timeZone: .gmt, expired: expired, rows: 1_500,
            change: change)
        report.failure = StoreError(.held, operation: "run", place: "/s", cause: "would delete \(expired)")
        return report
    }

    private func later(_ seconds: TimeInterval) -> Date { runStart.addingTimeInterval(seconds) }

    @Test("while no rule is held, nothing is written")
    func nothing() throws {
        try ledger.record([report(.done), report(.failed)], at: runStart)
        try ledger.begin("r", of: 1_200, at: runStart)
        #expect(try ledger.confirm("r", at: runStart) == nil)
        #expect(try directory.entries == [])
    }

    @Test("a hold is kept until its rule has run to its end")
    func untilDone() throws {
        try ledger.record([report(.held)], at: runStart)
        for outcome in [Outcome.stopped, .skipped, .failed] {
            try ledger.record([report(outcome)], at: later(1))
        }
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.seen == report(.held).held)
        #expect(hold.cause == "would delete 1000")
        #expect(hold.since == runStart)
        #expect(hold.confirmation == nil)
        try ledger.record([report(.done)], at: later(2))
        #expect(ledger.holds() == [:])
    }

    @Test("a rule that is held again is held since the first time, and what was seen last counts")
    func heldAgain() throws {
        try ledger.record([report(.held)], at: runStart)
        try ledger.record([report(.held, expired: 1_200)], at: later(600))
        #expect(ledger.holds()["r"]?.since == runStart)
        #expect(ledger.holds()["r"]?.seen.expired == 1_200)
        var other = rule
        other.expiry = .age(column: "at", keep: Span(29, .day))
        try ledger.record([report(.held, of: other)], at: later(1_200))
        #expect(ledger.holds()["r"]?.since == later(1_200))
    }

    @Test("a hold that was confirmed gives a confirmation of what was seen, for what is left of it, too")
    func confirmed() throws {
        try ledger.record([report(.held)], at: runStart)
        #expect(try ledger.confirm("r", at: later(5))?.confirmedAt == later(5))
        let seen = try #require(report(.held).held)
        #expect(ledger.holds()["r"]?.confirmation == Confirmation(seen))
        try ledger.begin("r", of: 1_200, at: later(6))
        #expect(ledger.holds()["r"]?.confirmation == Confirmation(seen, hasBegun: true))
        #expect(ledger.holds()["r"]?.confirmedAt == later(5))
        try ledger.record([report(.stopped)], at: later(6))
        #expect(ledger.holds()["r"]?.confirmation == Confirmation(seen, hasBegun: true))
    }

    @Test("a rule that begins by a confirmation by hand is confirmed for whoever goes on")
    func byHand() throws {
        try ledger.record([report(.held)], at: runStart)
        try ledger.begin("r", of: 1_200, at: later(1))
        #expect(ledger.holds()["r"]?.confirmedAt == later(1))
    }

    @Test(
        "what is held again loses a confirmation that does not cover it, and keeps one that came meanwhile",
        arguments: [(1_100, true), (1_101, false)] as [(Int64, Bool)])
    func confirmedMeanwhile(expired: Int64, isKept: Bool) throws {
        try ledger.record([report(.held)], at: runStart)
        _ = try ledger.confirm("r", at: later(1))
        try ledger.record([report(.held, expired: expired)], at: later(2))
        let hold = try #require(ledger.holds()["r"])
        #expect((hold.confirmation != nil) == isKept)
        #expect(hold.seen.expired == (isKept ? 1_000 : expired))
    }

    @Test("when it was announced is kept as long as it is the same hold")
    func announced() throws {
        try ledger.record([report(.held)], at: runStart, announced: ["r": runStart])
        for expired in [1_090, 1_100] as [Int64] {
            try ledger.record([report(.held, expired: expired)], at: later(600))
            #expect(ledger.holds()["r"]?.announcedAt == runStart)
            #expect(ledger.holds()["r"]?.seen.expired == 1_000, "what was announced")
        }
        try ledger.record([report(.held, expired: 1_101)], at: later(900), announced: ["r": later(900)])
        #expect(ledger.holds()["r"]?.announcedAt == later(900))
        #expect(ledger.holds()["r"]?.seen.expired == 1_101)
        try ledger.record([report(.held, change: .new)], at: later(1_200))
        #expect(ledger.holds()["r"]?.announcedAt == nil)
    }

    @Test("holds of other rules stay as they are")
    func others() throws {
        var other = rule
        other.name = "other"
        try ledger.record([report(.held), report(.held, of: other)], at: runStart)
        try ledger.record([report(.done)], at: later(1))
        #expect(Array(ledger.holds().keys) == ["other"])
    }

    @Test(
        "what is not such a file counts as none",
        arguments: ["", "{", "[]", "{\"r\": 1}", "{\"r\": {\"since\": \"2026-11-20T12:00:00Z\"}}"])
    func foreign(content: String) throws {
        try content.write(toFile: directory.path + "/holds.json", atomically: false, encoding: .utf8)
        #expect(ledger.holds() == [:])
        try ledger.record([report(.held)], at: runStart)
        #expect(ledger.holds().count == 1)
    }

    @Test(
        "what was confirmed and ended early covers what is left of it, and no new rows in the place of those gone"
    )
    func shrinks() throws {
        try ledger.record([report(.held, expired: 1_000)], at: runStart)
        _ = try ledger.confirm("r", at: later(1))
        try ledger.begin("r", of: 1_000, at: later(2))
        var stopped = report(.stopped, expired: 1_000)
        stopped.expired = 1_000
        stopped.deleted = 400
        try ledger.record([stopped], at: later(2))
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.seen.expired == 600)
        var seen = hold.seen
        #expect(hold.confirmation?.mismatch(with: seen) == nil)
        seen.expired = 1_000
        #expect(hold.confirmation?.mismatch(with: seen) == .count(600))
        try ledger.begin("r", of: 500, at: later(3))
        try ledger.begin("r", of: 550, at: later(4))
        #expect(ledger.holds()["r"]?.seen.expired == 500)
    }
}
