import Foundation
import Ledger
import Retention
import Synchronization
import TestSupport
import Testing

@testable import Pruning

/// The guard on a machine whose clocks move when the test says so.
struct ClockGuardTests {
    private let clock = ManualClock(now: runStart)
    private let directory: TemporaryDirectory
    private let ledger: Ledger

    init() throws {
        directory = try TemporaryDirectory()
        ledger = Ledger(stateDirectory: directory.path)
    }

    /// A guard as a new process makes it.
    private func makeGuard(
        boot: String? = "a", since: Duration = .zero, isSynchronised: Bool = false
    ) -> ClockGuard {
        let machine = MachineClock(
            now: { clock.now }, sinceBoot: { clock.monotonic() - since },
            isSynchronised: { _ in isSynchronised }, bootID: boot)
        return ClockGuard(machine: machine, memory: ledger)
    }

    /// Runs a rule with something to delete; its outcome and the error that says why.
    private func run(
        _ clockGuard: ClockGuard, onBatch: @escaping @Sendable () -> Void = {},
        batches: [FakeStore.Answer] = [.deletes(10, isLast: true)], hasRows: Bool = true,
        records: Bool = true
    ) throws -> RuleReport {
        let rule = RetentionRule(
            name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
        var settings = RunSettings(clockGuard: clockGuard, monotonic: clock.monotonic)
        if hasRows { settings.witnesses = [rule] }
        var generator = SystemRandomNumberGenerator()
        let report = PruneRun(
            id: RunID(start: clock.now, using: &generator), startedAt: clock.now, rules: [rule],
            timeZone: .gmt, stores: ["s": FakeStore(batches: batches)],
            settings: settings,
            control: RunControl(monotonic: clock.monotonic)
        ).execute { event in
            if case .batchCommitted = event { onBatch() }
        }
        if records { try clockGuard.record() }
        return report.rules[0]
    }

    @Test(
        "runs that begin together ask the stores once, also while nobody believes the clock; later ones ask again"
    )
    func witnessesOnce() {
        let clockGuard = makeGuard()
        let old = clock.now.addingTimeInterval(-10 * 365 * 86_400)
        var asked = 0
        func doubt() -> ClockDoubt? {
            clockGuard.doubt(of: clock.now) {
                asked += 1
                return [old, old, old, old]
            }
        }
        for _ in 0..<500 { #expect(doubt() != nil) }
        #expect(asked == 1)
        clock.advance(by: .seconds(11))
        #expect(doubt() != nil && asked == 2)
    }

    @Test("a run on a clock that leapt deletes nothing; once the clock is right, the same guard lets it run")
    func leapAndReturn() throws {
        let clockGuard = makeGuard()
        #expect(try run(clockGuard).outcome == .done)
        clock.set(runStart.addingTimeInterval(86_400))
        let held = try run(clockGuard)
        #expect(held.outcome == .held && held.deleted == 0 && held.batches == 0)
        #expect(held.failure?.kind == .clock)
        #expect(held.failure?.cause.contains("jumped ahead") == true)
        clock.set(runStart)
        #expect(try run(clockGuard).outcome == .done)
    }

    @Test("what was believed is remembered across a restart of the program")
    func restart() throws {
        _ = try run(makeGuard())
        clock.advance(by: .seconds(600))
        #expect(try run(makeGuard()).outcome == .done)
        clock.set(clock.now.addingTimeInterval(86_400))
        #expect(try run(makeGuard()).outcome == .held)
    }

    @Test("what was not believed is not remembered: a wrong clock is no evidence later")
    func nothingLearnt() throws {
        _ = try run(makeGuard())
        let before = try #require(try ledger.lastBelieved())
        clock.set(runStart.addingTimeInterval(10 * 365 * 86_400))
        for _ in 0..<3 { #expect(try run(makeGuard()).outcome == .held) }
        #expect(try ledger.lastBelieved() == before)
    }

    @Test("a clock that nobody could be asked about is no evidence later")
    func unsupported() throws {
        clock.set(runStart.addingTimeInterval(10 * 365 * 86_400))
        #expect(try run(makeGuard(), hasRows: false).outcome == .done)
        #expect(try ledger.lastBelieved() == nil)
        #expect(try run(makeGuard()).outcome == .done)
        #expect(try ledger.lastBelieved() != nil)
    }

    @Test("a record that cannot be read is no missing one: nothing is deleted until it can be read")
    func unreadable() throws {
        let machine = MachineClock(
            now: { clock.now }, sinceBoot: clock.monotonic, isSynchronised: { _ in false }, bootID: "a")
        let held = try run(ClockGuard(machine: machine, memory: UnreadableMemory()), records: false)
        #expect(held.outcome == .held && held.deleted == 0)
        #expect(held.failure?.cause.contains("out of memory") == true)
        #expect(try run(makeGuard()).outcome == .done)
    }

    /// A record that is there and cannot be read.
    private struct UnreadableMemory: ClockMemory {
        private var error: StoreError {
            StoreError(.other, operation: "look at the state", place: "/s", cause: "out of memory")
        }
        func lastBelieved() throws(StoreError) -> ClockReading? { throw error }
        func lastRunDates() throws(StoreError) -> [Date] { throw error }
        func record(_ reading: ClockReading) throws(StoreError) { throw error }
    }

    @Test("small steps do not add up to a large one")
    func smallSteps() throws {
        let clockGuard = makeGuard()
        _ = try run(clockGuard)
        clock.set(runStart.addingTimeInterval(3_600))
        #expect(try run(clockGuard).outcome == .done)
        clock.set(runStart.addingTimeInterval(7_000))
        #expect(try run(clockGuard).outcome == .done)
        clock.set(runStart.addingTimeInterval(10_000))
        #expect(try run(clockGuard).outcome == .held)
    }

    @Test("a machine that was off is told from one that stayed on, by its boot or by the time since it")
    func boots() throws {
        _ = try run(makeGuard())
        clock.advance(by: .seconds(60))
        clock.set(clock.now.addingTimeInterval(86_400))
        #expect(try run(makeGuard(boot: "a")).outcome == .held)
        #expect(try run(makeGuard(boot: nil)).outcome == .held)
        #expect(try run(makeGuard(boot: "b")).outcome == .done)
    }

    @Test("where boots cannot be told apart, less time since the start than before is another boot")
    func bootByTime() throws {
        clock.advance(by: .seconds(1_000))
        _ = try run(makeGuard(boot: nil))
        clock.set(clock.now.addingTimeInterval(86_400))
        #expect(try run(makeGuard(boot: nil)).outcome == .held)
        #expect(try run(makeGuard(boot: nil, since: .seconds(500))).outcome == .done)
    }

    @Test("off for a year: held without a time server, and not held with one")
    func offForAYear() throws {
        _ = try run(makeGuard())
        clock.set(runStart.addingTimeInterval(365 * 86_400))
        #expect(try run(makeGuard(boot: "b")).outcome == .held)
        #expect(try run(makeGuard(boot: "b", isSynchronised: true)).outcome == .done)
        #expect(try run(makeGuard(boot: "b")).outcome == .done)
    }

    @Test("a person who vouches for the clock is heard by a guard that goes on in another process")
    func vouching() throws {
        let service = makeGuard(boot: nil)
        _ = try run(service)
        clock.advance(by: .seconds(60))
        clock.set(clock.now.addingTimeInterval(86_400))
        #expect(try run(service).outcome == .held)
        let byHand = makeGuard()
        _ = byHand.vouch()
        #expect(try run(byHand).outcome == .done)
        clock.advance(by: .seconds(60))
        #expect(try run(service).outcome == .done)
    }

    @Test(
        "a clock that goes back in mid-run was ahead when the run began: the run ends there",
        arguments: [(-86_400, Outcome.held, 10), (-3_600, .done, 30), (86_400, .done, 30)]
            as [(
                TimeInterval, Outcome, Int64
            )])
    func midRun(step: TimeInterval, outcome: Outcome, deleted: Int64) throws {
        let clock = clock
        let hasStepped = Atomic(false)
        let report = try run(
            makeGuard(),
            onBatch: {
                if !hasStepped.exchange(true, ordering: .relaxed) { clock.set(clock.now + step) }
            },
            batches: [
                .deletes(10, isLast: false), .deletes(10, isLast: false), .deletes(10, isLast: true),
            ])
        #expect(report.outcome == outcome)
        #expect(report.deleted == deleted)
    }

    @Test(
        "where no reading is kept, the last run says when the clock was believed",
        arguments: [(6, Outcome.done), (8, .held), (-1, .done), (20_000, .done)])
    func lastRun(daysAgo: Double, outcome: Outcome) throws {
        let rule = RetentionRule(
            name: "other", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
        try ledger.record([rule], at: runStart.addingTimeInterval(-daysAgo * 86_400))
        #expect(try run(makeGuard()).outcome == outcome)
    }
}
