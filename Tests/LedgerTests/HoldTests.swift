import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// The rules that are held, and what people confirmed of them.
struct HoldTests {
    private let directory: TemporaryDirectory
    private let ledger: Ledger
    private let rule = RetentionRule(
        name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))

    init() throws {
        directory = try TemporaryDirectory()
        ledger = Ledger(stateDirectory: directory.path)
    }

    private static let all = RowsFingerprint(rows: 1_000, sum: 3)
    private static let gone = RowsFingerprint(rows: 600, sum: 5)
    private static let left = RowsFingerprint(rows: 400, sum: .max - 1)

    /// Holds and confirms the rule, and begins to delete; the run that is killed writes down no more than this.
    private func begun(gone: RowsFingerprint? = gone) throws {
        try ledger.record([report(.held)], at: runStart)
        _ = try ledger.confirm("r", at: later(1))
        let rest = try #require(try begin(of: Self.all, at: later(2)))
        if let gone { try rest.take(gone) }
    }

    private func begin(of rows: RowsFingerprint, at date: Date) throws -> (any ConfirmedRest)? {
        let seen = try #require(report(.held).held)
        let hold = ledger.holds()["r"] ?? Hold(seen: seen, cause: "", since: runStart)
        return try ledger.begin("r", by: hold, of: rows, at: date)
    }

    private func report(
        _ outcome: Outcome, of rule: RetentionRule? = nil, expired: Int64 = 1_000, counted: Int64? = nil,
        change: RuleChange? = nil
    ) -> RuleReport {
        let task = PruneTask(rule ?? self.rule, start: runStart, in: .gmt)
        var report = RuleReport(task, outcome: outcome)
        report.expired = counted
        guard outcome == .held else { return report }
        report.expired = expired
        report.held = HeldRule(
            task.rule, place: "/s", cutoff: task.cutoff, timeZone: .gmt, expired: expired, rows: 1_500,
            change: change)
        report.failure = Halt(.hold, operation: "run", place: "/s", cause: "would delete \(expired)")
        return report
    }

    private func later(_ seconds: TimeInterval) -> Date { runStart.addingTimeInterval(seconds) }

    @Test("while no rule is held, there is nothing to confirm, or to begin")
    func nothing() throws {
        try ledger.record([report(.done), report(.failed)], at: runStart)
        #expect(try begin(of: Self.all, at: runStart) == nil)
        #expect(try ledger.confirm("r", at: runStart) == nil)
        #expect(ledger.holds() == [:])
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
        #expect(hold.confirmedAt == nil)
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
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.confirmedAt == later(5) && hold.seen == seen && hold.since == runStart)
        _ = try begin(of: Self.all, at: later(6))
        #expect(ledger.holds()["r"]?.begun == .init(at: later(6), left: Self.all))
        #expect(ledger.holds()["r"]?.confirmedAt == later(5))
        // Another run that could not even count, as the store was busy.
        try ledger.record([report(.skipped)], at: later(6))
        #expect(ledger.holds()["r"]?.begun == .init(at: later(6), left: Self.all))
    }

    @Test("a run that was killed left what it last wrote down, whoever asks, and so often")
    func killed() throws {
        try begun()
        for _ in 0..<2 {
            let other = Ledger(stateDirectory: directory.path)
            #expect(other.holds()["r"]?.begun?.left == Self.left)
            #expect(other.holds()["r"]?.seen.expired == 400)
        }
        var stopped = report(.stopped)
        stopped.expired = 700
        try ledger.record([stopped], at: later(3))
        #expect(ledger.holds()["r"]?.begun?.left == Self.left, "more have come, and were not confirmed")
    }

    @Test("which rows are left is kept to the last bit", arguments: [0, 0xABC, UInt64.max])
    func allBits(sum: UInt64) throws {
        try ledger.record([report(.held)], at: runStart)
        let rows = RowsFingerprint(rows: 12, sum: sum)
        _ = try begin(of: rows, at: later(2))
        #expect(ledger.holds()["r"]?.begun?.left == rows)
    }

    @Test("what was confirmed when a run began is known to a fraction of a second")
    func fraction() throws {
        try ledger.record([report(.held)], at: runStart)
        _ = try begin(of: Self.all, at: later(2.25))
        #expect(ledger.holds()["r"]?.begun?.at == later(2.25))
    }

    @Test("what is held anew after a run was killed is news, and as yet unconfirmed")
    func heldAnew() throws {
        try begun()
        #expect(ledger.holds()["r"]?.announcedAt == nil)
        try ledger.record([report(.held, expired: 990)], at: later(3))
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.confirmedAt == nil && hold.begun == nil && hold.seen.expired == 990)
    }

    @Test("other rows than were left are as yet unconfirmed, however many, and when they are counted again")
    func others() throws {
        try begun()
        for _ in 0..<2 {
            try ledger.record([report(.held, expired: 400)], at: later(3))
            #expect(ledger.holds()["r"]?.confirmedAt == nil)
        }
    }

    @Test("a rule that begins by a confirmation by hand is confirmed for whoever goes on")
    func byHand() throws {
        try ledger.record([report(.held)], at: runStart)
        _ = try begin(of: Self.all, at: later(1))
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
        #expect((hold.confirmedAt != nil) == isKept)
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
    func otherRules() throws {
        var other = rule
        other.name = "other"
        try ledger.record([report(.held), report(.held, of: other)], at: runStart)
        try ledger.record([report(.done)], at: later(1))
        #expect(Array(ledger.holds().keys) == ["other"])
    }

    @Test(
        "what was confirmed and ended early covers what is left of it, and no new rows in the place of those gone",
        arguments: [Outcome.stopped, .failed])
    func shrinks(outcome: Outcome) throws {
        try begun()
        try ledger.record([report(outcome, counted: 1_000)], at: later(2))
        let hold = try #require(ledger.holds()["r"])
        #expect(hold.seen.expired == 400)
        #expect(hold.mismatch(with: hold.seen, rest: Self.left) == nil)
        let others = RowsFingerprint(rows: 400, sum: 0)
        #expect(hold.mismatch(with: hold.seen, rest: others) == .rest(400))
        // The next run goes on with it, and with what has expired since.
        _ = try begin(of: Self.all, at: later(4))
        #expect(ledger.holds()["r"]?.begun == .init(at: later(4), left: Self.all))
    }
}
