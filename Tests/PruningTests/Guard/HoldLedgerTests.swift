import Foundation
@testable import Pruning
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
        ledger = Self.ledger(directory)
    }

    /// The ledger as a process finds it that looks so long after the machine was started.
    private static func ledger(
        _ directory: TemporaryDirectory, boot: String? = "a", sinceBoot: Duration = .seconds(100)
    ) -> HoldLedger {
        let machine = MachineClock(
            now: { runStart }, sinceBoot: { sinceBoot }, isSynchronised: { _ in false }, bootID: boot)
        return HoldLedger(stateDirectory: directory.path, machine: machine)
    }

    /// Holds and confirms the rule, and begins to delete; the run that is killed writes down no more than this.
    private func begun(of expired: Int64 = 1_000, left: Int64? = nil) throws {
        try ledger.record([report(.held, expired: expired)], at: runStart)
        _ = try ledger.confirm("r", at: later(1))
        let rest = try #require(try ledger.begin("r", of: expired, at: later(2)))
        if let left { try rest.record(left, inHand: 30) }
    }

    private func report(
        _ outcome: Outcome, of rule: RetentionRule? = nil, expired: Int64 = 1_000, change: RuleChange? = nil
    ) -> RuleReport {
        let task = PruneTask(rule ?? self.rule, start: runStart, in: .gmt)
        var report = RuleReport(task, outcome: outcome)
        guard outcome == .held else { return report }
        report.expired = expired
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
        #expect(try ledger.begin("r", of: 1_200, at: runStart) == nil)
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

    @Test("a hold that was confirmed gives a confirmation of what was seen")
    func confirmed() throws {
        try ledger.record([report(.held)], at: runStart)
        #expect(try ledger.confirm("r", at: later(5))?.confirmedAt == later(5))
        let seen = try #require(report(.held).held)
        #expect(ledger.holds()["r"]?.confirmation == Confirmation(seen))
        _ = try ledger.begin("r", of: 1_200, at: later(6))
        #expect(ledger.holds()["r"]?.begun == .init(at: later(6), left: 1_200, inHand: 1))
        #expect(ledger.holds()["r"]?.confirmedAt == later(5))
        // Another run that could not even count, as the store was busy.
        try ledger.record([report(.skipped)], at: later(6))
        #expect(ledger.holds()["r"]?.begun == .init(at: later(6), left: 1_200, inHand: 1))
    }

    @Test("a run that was killed left what it last wrote down, whoever asks, and so often")
    func killed() throws {
        try begun(left: 400)
        for boot in ["a", nil] {
            let other = Self.ledger(directory, boot: boot, sinceBoot: .seconds(101))
            #expect(other.holds()["r"]?.begun?.left == 400)
            #expect(other.holds()["r"]?.seen.expired == 400)
        }
        var stopped = report(.stopped)
        stopped.expired = 700
        try ledger.record([stopped], at: later(3))
        #expect(ledger.holds()["r"]?.begun?.left == 400, "more have come, and were not confirmed")
        #expect(try directory.entries == ["holds.json"])
    }

    @Test(
        "what was left is not known where the machine went down, or nobody wrote it down",
        arguments: [("b", .seconds(200)), ("a", .seconds(99)), (nil, .seconds(99))] as [(String?, Duration)])
    func unknown(boot: String?, sinceBoot: Duration) throws {
        try begun(left: 400)
        let other = Self.ledger(directory, boot: boot, sinceBoot: sinceBoot)
        let hold = try #require(other.holds()["r"])
        #expect(hold.begun == .init(at: later(2), left: nil))
        var seen = hold.seen
        seen.expired = 1
        #expect(hold.confirmation?.mismatch(with: seen) == .rest(nil))
        try FileManager.default.removeItem(atPath: directory.path + "/confirmed-r.json")
        #expect(ledger.holds()["r"]?.begun?.left == nil)
    }

    @Test("what is held anew after a run was killed is news, and as yet unconfirmed")
    func heldAnew() throws {
        try begun(left: 400)
        #expect(ledger.holds()["r"]?.announcedAt == nil)
        try ledger.record([report(.held, expired: 990)], at: later(3))
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.confirmation == nil && hold.begun == nil && hold.seen.expired == 990)
        #expect(try directory.entries == ["holds.json"])
    }

    @Test(
        "fewer rows than were left are others, and as yet unconfirmed, as they were not when they are counted again"
    )
    func fewer() throws {
        try begun(left: 400)
        for _ in 0..<2 {
            try ledger.record([report(.held, expired: 369)], at: later(3))
            #expect(ledger.holds()["r"]?.confirmation == nil)
        }
    }

    @Test("a rule that begins by a confirmation by hand is confirmed for whoever goes on")
    func byHand() throws {
        try ledger.record([report(.held)], at: runStart)
        _ = try ledger.begin("r", of: 1_200, at: later(1))
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
        try begun()
        var stopped = report(.stopped, expired: 1_000)
        stopped.expired = 1_000
        stopped.deleted = 400
        try ledger.record([stopped], at: later(2))
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.seen.expired == 600)
        var seen = hold.seen
        #expect(hold.confirmation?.mismatch(with: seen) == nil)
        seen.expired = 601
        #expect(hold.confirmation?.mismatch(with: seen) == .rest(600))
        // The next run goes on with it, and with what has expired since.
        _ = try ledger.begin("r", of: 620, at: later(4))
        #expect(ledger.holds()["r"]?.begun == .init(at: later(4), left: 620, inHand: 1))
    }
}
