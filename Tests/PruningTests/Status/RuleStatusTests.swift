import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// How a rule stands, by what is known of it.
struct RuleStatusTests {
    private static let rule = RetentionRule(
        name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))

    private func status(
        _ evidence: RuleEvidence, after seconds: TimeInterval = 0, timeZone: Zone = .gmt
    ) throws -> RuleStatus {
        let policy = try RetentionPolicy(
            timeZone: timeZone, stores: [StoreDefinition(name: "s", path: "/s")], rules: [Self.rule])
        return RuleStatus("r", evidence, in: policy, now: runStart.addingTimeInterval(seconds))
    }

    /// A last run with a report, that long after the start.
    private static func ran(_ seconds: TimeInterval = 0, deleted: Int64 = 5) -> LastRun {
        LastRun(
            date: runStart.addingTimeInterval(seconds), rule: nil, deleted: deleted, dependentsDeleted: 7,
            took: .milliseconds(20))
    }

    private static func attempt(
        _ outcome: Outcome, _ kind: Halt.Kind = .fault(.other), after seconds: TimeInterval = 0,
        deleted: Int64 = 3, repeated: TimeInterval? = nil
    ) throws -> LastAttempt {
        let report = Reports.run(Reports.rule("r", outcome, deleted: deleted, kind), after: seconds)
        var attempt = Reports.attempt(report)
        attempt.repeatedAt = repeated.map { runStart.addingTimeInterval($0) }
        return attempt
    }

    private static func hold(confirmed: Bool) -> Hold {
        let seen = HeldRule(
            rule, place: "/s", cutoff: runStart, timeZone: .gmt, expired: 9, rows: 10, change: nil)
        var hold = Hold(seen: seen, cause: "too much", since: runStart)
        if confirmed { hold.confirmedAt = runStart }
        return hold
    }

    private static let misfit = StoreError(.schema, operation: "apply", place: "/s", cause: "no", hint: "fix")

    @Test("a rule that never ran is new, and due now")
    func new() throws {
        let status = try status(RuleEvidence())
        #expect(status.state == .new && status.next == .now && status.lastRun == nil)
        #expect(status.deleted == nil && status.took == nil && status.reason == nil)
        #expect(status.store == "s" && status.table == "t")
    }

    @Test("what ran to its end says what it did, and is due once its interval is over")
    func done() throws {
        let evidence = RuleEvidence(lastRun: Self.ran())
        let status = try status(evidence, after: 3_600)
        #expect(status.state == .done && status.lastRun == runStart)
        #expect(status.deleted == 5 && status.dependentsDeleted == 7 && status.took == .milliseconds(20))
        #expect(status.next == .at(runStart.addingTimeInterval(86_400)))
        #expect(try self.status(evidence, after: 86_400).next == .now)
        #expect(try self.status(evidence, after: 86_399).next != .now)
    }

    @Test(
        "days are those of the policy's time zone: over a clock change the next run is as late by the clock")
    func clockChange() throws {
        let berlin = try #require(Zone(identifier: "Europe/Berlin"))
        let before = try Date("2026-10-24T12:00:00Z", strategy: .iso8601)
        let evidence = RuleEvidence(lastRun: LastRun(date: before, rule: nil))
        let next = try status(evidence, after: before.timeIntervalSince(runStart), timeZone: berlin).next
        #expect(next == .at(before.addingTimeInterval(25 * 3_600)))
    }

    @Test("a last run by an older version says when, and nothing else")
    func older() throws {
        let status = try status(RuleEvidence(lastRun: LastRun(date: runStart, rule: nil)))
        #expect(status.state == .done && status.lastRun == runStart)
        #expect(status.deleted == nil && status.took == nil)
    }

    @Test(
        "what failed after the last run counts, and is tried soon again once it is due",
        arguments: [
            (Outcome.failed, RuleState.failed), (.skipped, .skipped), (.stopped, .stopped), (.held, .held),
        ])
    func failed(outcome: Outcome, state: RuleState) throws {
        let evidence = RuleEvidence(
            lastRun: Self.ran(), lastAttempt: try Self.attempt(outcome, after: 90_000, repeated: 90_600))
        let status = try status(evidence, after: 91_000)
        #expect(status.state == state)
        #expect(status.lastRun == runStart.addingTimeInterval(90_600), "the last time it met with that")
        #expect(status.deleted == 3)
        #expect(status.reason == "cannot run rule r in /s: why" && status.hint == "hint")
        #expect(status.next == (outcome == .held ? .now : .waits(.retry)))
    }

    @Test("a failure by hand changes nothing of when the rule is due")
    func failedEarly() throws {
        let evidence = RuleEvidence(lastRun: Self.ran(), lastAttempt: try Self.attempt(.failed, after: 60))
        #expect(try status(evidence, after: 60).next == .at(runStart.addingTimeInterval(86_400)))
    }

    @Test("a run that came to its end after a failure is what counts, and a failure in its second, too")
    func doneSince() throws {
        let failed = try Self.attempt(.failed, after: 100)
        let since = RuleEvidence(lastRun: Self.ran(101.5), lastAttempt: failed)
        #expect(try status(since, after: 200).state == .done)
        #expect(try status(since, after: 200).deleted == 5)
        let sameSecond = RuleEvidence(lastRun: Self.ran(100.5), lastAttempt: failed)
        #expect(try status(sameSecond, after: 200).state == .failed)
    }

    @Test("what began and has no end is running while a run has the store, and else was killed")
    func begun() throws {
        let open = LastAttempt(began: runStart.addingTimeInterval(10), record: nil)
        var evidence = RuleEvidence(lastRun: Self.ran(), lastAttempt: open)
        let killed = try status(evidence, after: 20)
        #expect(killed.state == .interrupted && killed.deleted == nil && killed.reason != nil)
        evidence.isStoreClaimed = true
        #expect(try status(evidence, after: 20).state == .running)
        let progress = RunProgress(
            done: 20, of: 80, since: open.began, at: open.began.addingTimeInterval(5))
        evidence.progress = progress
        #expect(try status(evidence, after: 20).progress == progress && progress.left == .seconds(15))
        evidence.progress = RunProgress(done: 20, of: 80, since: runStart, at: runStart)
        #expect(
            try status(evidence, after: 20).progress == nil, "an earlier run, which was killed, recorded it")
        evidence.progress = progress
        evidence.lastRun = Self.ran(15)
        #expect(try status(evidence, after: 20).state == .done, "another run came to its end since")
        #expect(try status(evidence, after: 20).progress == nil)
    }

    @Test("a held rule waits for a person, and a confirmed one for its next run")
    func held() throws {
        let held = try status(RuleEvidence(lastRun: Self.ran(), hold: Self.hold(confirmed: false)))
        #expect(held.state == .held && held.next == .waits(.confirmation) && held.reason == "too much")
        let confirmed = try status(RuleEvidence(lastRun: Self.ran(), hold: Self.hold(confirmed: true)))
        #expect(confirmed.state == .confirmed && confirmed.next == .now && confirmed.reason == nil)
    }

    @Test("a failed run is not hidden by a hold, nor by a confirmation that outlasts it")
    func failedBesideHold() throws {
        for confirmed in [false, true] {
            let evidence = RuleEvidence(
                lastRun: Self.ran(), lastAttempt: try Self.attempt(.failed, after: 60),
                hold: Self.hold(confirmed: confirmed))
            let status = try status(evidence, after: 120)
            #expect(status.state == .failed && status.next == .waits(.retry))
            #expect(status.reason == "cannot run rule r in /s: why" && status.hint == "hint")
        }
    }

    @Test(
        "what the archive holds waits for that, due or not, and says why, whatever a person confirmed",
        arguments: [(.fault(.archiveFull), .archive), (.leases, .leases)] as [(Halt.Kind, WaitReason)])
    func heldByArchive(kind: Halt.Kind, obstacle: WaitReason) throws {
        for hold in [nil, Self.hold(confirmed: false), Self.hold(confirmed: true)] {
            let attempt = try Self.attempt(.held, kind, after: 60, deleted: 0)
            let evidence = RuleEvidence(lastRun: Self.ran(), lastAttempt: attempt, hold: hold)
            let status = try status(evidence, after: 120)
            #expect(status.state == .held && status.next == .waits(obstacle))
            #expect(status.reason == "cannot run rule r in /s: why" && status.hint == "hint")
        }
        let attempt = try Self.attempt(.held, kind, after: 60)
        let since = try status(RuleEvidence(lastRun: Self.ran(61), lastAttempt: attempt), after: 120)
        #expect(since.state == .done, "a run came to its end since")
    }

    @Test("by a clock that is not believed nothing runs, and what does not fit its store runs never")
    func clockAndMisfit() throws {
        var evidence = RuleEvidence(lastRun: Self.ran(), isClockDoubted: true)
        #expect(try status(evidence, after: 90_000).next == .waits(.clock))
        evidence.misfit = Self.misfit
        let unfit = try status(evidence)
        #expect(unfit.state == .unfit && unfit.next == nil)
        #expect(unfit.reason == Self.misfit.reason && unfit.hint == "fix")
    }

    @Test(
        "of a rule that had the name and was on another table or store nothing counts, nor what came before it"
    )
    func anotherRule() throws {
        let last = LastRun(date: runStart, rule: RuleText(Self.rule), place: "/s")
        let traces = RuleEvidence(
            lastRun: last, lastAttempt: try Self.attempt(.failed, after: 60), hold: Self.hold(confirmed: true)
        )
        #expect(traces.of(Self.rule, at: "/s").lastAttempt != nil)
        var others = [Self.rule, Self.rule]
        others[0].table = "u"
        others[1].store = "other"
        for other in others {
            let own = traces.of(other, at: "/s")
            #expect(own.lastRun == nil && own.lastAttempt == nil && own.hold == nil)
        }
        var column = Self.rule
        column.expiry = .age(column: "another", keep: Span(30, .day))
        #expect(try status(RuleEvidence(lastRun: last).of(column, at: "/s")).state == .new)
        let moved = traces.of(Self.rule, at: "/moved")
        #expect(moved.lastRun == nil && moved.hold == nil)
        let before = RuleEvidence(lastRun: last, lastAttempt: try Self.attempt(.done))
        #expect(try status(before.of(Self.rule, at: "/moved")).state == .new)
        let begun = RuleEvidence(
            lastAttempt: LastAttempt(began: runStart, record: nil, store: "s", table: "u"))
        #expect(try status(begun.of(Self.rule, at: "/s")).state == .new)
    }

    @Test(
        "what the service tries again is not said to wait until it is due",
        arguments: [Outcome.failed, .held])
    func retried(outcome: Outcome) throws {
        var evidence = RuleEvidence(
            lastRun: Self.ran(), lastAttempt: try Self.attempt(outcome, .clock, after: 60))
        #expect(try status(evidence, after: 61).next == .at(runStart.addingTimeInterval(86_400)))
        evidence.isRetried = true
        #expect(try status(evidence, after: 61).next == .waits(.retry))
        evidence.lastRun = Self.ran(61)
        #expect(
            try status(evidence, after: 62).next == .at(runStart.addingTimeInterval(86_461)),
            "a run by hand came to its end")
    }

    @Test("without a policy the traces of a rule are shown, and nothing is said of what comes")
    func withoutPolicy() throws {
        let evidence = RuleEvidence(lastAttempt: try Self.attempt(.failed))
        let status = RuleStatus("r", evidence, in: nil, now: runStart)
        #expect(status.state == .failed && status.store == "s" && status.table == "t" && status.next == nil)
    }
}
