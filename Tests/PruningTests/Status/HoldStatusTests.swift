import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// The commands that resolve a hold.
struct HoldStatusTests {
    private let rule = RetentionRule(
        name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))

    private func commands(
        of rule: RetentionRule?, after seconds: TimeInterval = 0, confirmed: Bool = false, isServing: Bool
    ) -> [String] {
        let cutoff = self.rule.expiry.cutoff(at: runStart, in: .gmt)
        let seen = HeldRule(
            self.rule, place: "/s", cutoff: cutoff, timeZone: .gmt, expired: 9, rows: 10, change: nil)
        var hold = Hold(seen: seen, cause: "too much", since: runStart)
        if confirmed { hold.confirmedAt = runStart }
        return status(RuleEvidence(hold: hold), of: rule, after: seconds, isServing: isServing)?.commands ?? [
            "?"
        ]
    }

    private func status(
        _ evidence: RuleEvidence, of rule: RetentionRule?, after seconds: TimeInterval = 0,
        isServing: Bool = false
    ) -> HoldStatus? {
        HoldStatus(
            "r", evidence, of: rule, now: runStart.addingTimeInterval(seconds), in: .gmt,
            program: "pruned -x", isServing: isServing)
    }

    @Test("a running service is told to go on; without one a person runs the rule")
    func command() {
        #expect(commands(of: rule, isServing: true) == ["pruned -x confirm r"])
        #expect(commands(of: rule, isServing: false) == ["pruned -x --run-now --rule r --confirm r"])
    }

    @Test("while a run deletes what was confirmed, its progress is told, and how long the rest takes")
    func progress() throws {
        let cutoff = rule.expiry.cutoff(at: runStart, in: .gmt)
        let seen = HeldRule(
            rule, place: "/s", cutoff: cutoff, timeZone: .gmt, expired: 75, rows: 120, change: nil)
        var hold = Hold(seen: seen, cause: "too much", since: runStart)
        hold.confirmedAt = runStart
        hold.begun = Hold.Begun(at: runStart, left: RowsFingerprint(rows: 75, sum: 1))
        hold.begunRows = 100
        let evidence = RuleEvidence(
            lastAttempt: LastAttempt(began: runStart, record: nil), hold: hold, isStoreClaimed: true)
        let progress = try #require(status(evidence, of: rule, after: 20)?.progress)
        #expect(progress.done == 25 && progress.all == 100 && progress.left == .seconds(60))
        let idle = RuleEvidence(hold: hold)
        #expect(status(idle, of: rule, after: 20)?.progress == nil, "none runs")
    }

    @Test("what was seen on another day, or of another rule, has to be held anew before it is confirmed")
    func stale() {
        let anew = ["pruned -x --run-now --rule r", "pruned -x --run-now --rule r --confirm r"]
        #expect(commands(of: rule, after: 86_400, isServing: true) == anew)
        var other = rule
        other.expiry = .age(column: "at", keep: Span(20, .day))
        #expect(commands(of: other, isServing: false) == anew)
    }

    @Test("nothing is to be done of what was confirmed, or of a rule that is not known")
    func none() {
        #expect(commands(of: rule, confirmed: true, isServing: true).isEmpty)
        #expect(commands(of: nil, isServing: true).isEmpty)
    }

    @Test("a rule that the archive holds is held, without a command that would not help")
    func byArchive() throws {
        let again = Reports.run(Reports.rule("r", .held, .fault(.archiveFull)), after: 120)
        let attempt = Reports.attempt(again, since: runStart.addingTimeInterval(60))
        let status = try #require(self.status(RuleEvidence(lastAttempt: attempt), of: rule))
        #expect(status.waitsFor == .archive && status.commands.isEmpty && status.seen == nil)
        #expect(status.cause == "cannot run rule r in /s: why" && status.hint == "hint")
        #expect(status.since == runStart.addingTimeInterval(60))
    }

    @Test("a confirmation that a run left says how many rows it still covers, and not what was held once")
    func leftover() throws {
        let seen = HeldRule(
            rule, place: "/s", cutoff: runStart, timeZone: .gmt, expired: 1_900, rows: 2_000, change: nil)
        var hold = Hold(seen: seen, cause: "too much", since: runStart)
        hold.confirmedAt = runStart.addingTimeInterval(30)
        let failed = RuleEvidence(
            lastAttempt: Reports.attempt(Reports.run(Reports.rule("r", .failed, .fault(.full)), after: 60)),
            hold: hold)
        let before = try #require(status(failed, of: rule))
        #expect(before.isLeftover && before.cause == "the confirmation still covers 1,900 rows")
        hold.confirmedAt = runStart.addingTimeInterval(90)
        let again = try #require(status(RuleEvidence(lastAttempt: failed.lastAttempt, hold: hold), of: rule))
        #expect(!again.isLeftover && again.cause == "too much", "no run has begun since")

        hold.begun = Hold.Begun(at: runStart, left: RowsFingerprint(rows: 1, sum: 7))
        hold.seen.expired = 1
        let begun = try #require(status(RuleEvidence(hold: hold), of: rule))
        #expect(begun.isLeftover && begun.cause == "the confirmation still covers 1 row")
        hold.begun?.left = nil
        let unknown = try #require(status(RuleEvidence(hold: hold), of: rule))
        #expect(unknown.cause == "it is not recorded which confirmed rows are left")
    }

    @Test("what failed, or was held for the clock's sake, is no hold")
    func other() {
        for (outcome, kind) in [(.failed, .fault(.full)), (.held, .clock)] as [(Outcome, Halt.Kind)] {
            let attempt = Reports.attempt(Reports.run(Reports.rule("r", outcome, kind)))
            #expect(status(RuleEvidence(lastAttempt: attempt), of: rule) == nil)
        }
    }
}
