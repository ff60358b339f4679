import TestSupport
import Testing

@testable import Pruning

/// When what a store is at costs the process.
struct WorkInHandTests {
    private func work(_ kind: WorkInHand.Kind, processorTime: Int) -> WorkInHand {
        WorkInHand(
            StoreWork("delete a row of t", place: "/s"), kind, since: .zero,
            processorTime: { .milliseconds(processorTime) })
    }

    @Test(
        "a lock: after two seconds or a hundred lock times, ten at a stop, and only where the time went into computing",
        arguments: [
            (10, 1_900, 1_900, false, false), (10, 2_100, 2_100, false, true),
            (10, 60_000, 300, false, false), (10, 90, 90, true, false), (10, 110, 110, true, true),
            (10, 60_000, 20, true, false),
            (50, 4_900, 4_900, false, false), (50, 5_100, 5_100, false, true),
            (1_000, 9_900, 9_900, false, false), (1_000, 10_100, 10_100, false, true),
        ])
    func lock(hold: Int, held: Int, processorTime: Int, isStopping: Bool, isStuck: Bool) {
        let work = work(.lock(LockTime(.milliseconds(hold))), processorTime: processorTime)
        #expect(work.isStuck(at: .milliseconds(held), isStopping: isStopping) == isStuck)
    }

    @Test(
        "statements: after ten seconds, three at a stop, and only where the time went into computing",
        arguments: [
            (9_900, 9_900, false, false), (10_100, 10_100, false, true), (60_000, 2_000, false, false),
            (2_900, 2_900, true, false), (3_100, 3_100, true, true), (60_000, 600, true, false),
        ])
    func statements(taken: Int, processorTime: Int, isStopping: Bool, isStuck: Bool) {
        let work = work(.statements, processorTime: processorTime)
        #expect(work.isStuck(at: .milliseconds(taken), isStopping: isStopping) == isStuck)
    }

    @Test(
        "what goes on is not stuck, however long it takes, or was stopped: it can be ended",
        arguments: [true, false])
    func goOn(isLock: Bool) {
        var work = work(isLock ? .lock(LockTime()) : .statements, processorTime: 60_000)
        #expect(work.isStuck(at: .seconds(60), isStopping: false))
        work.goOn(at: .seconds(60))
        #expect(!work.isStuck(at: .seconds(61), isStopping: false))
    }

    @Test("a statement at work is a sign of life of the run's")
    func isAlive() {
        let clock = ManualClock(now: runStart)
        let control = RunControl(monotonic: clock.monotonic)
        clock.advance(by: .seconds(20))
        #expect(!control.isAlive(within: .seconds(10)))
        control.statementsGoOn(of: control)
        #expect(control.isAlive(within: .seconds(10)))
    }

    @Test("one worker's signs of life are none of another's")
    func workers() {
        final class Worker {}
        let clock = ManualClock(now: runStart)
        let control = RunControl(monotonic: clock.monotonic)
        let (stuck, busy) = (Worker(), Worker())
        control.statementsBegin(by: stuck, for: StoreWork("count", place: "/stuck"))
        control.statementsBegin(by: busy, for: StoreWork("count", place: "/busy"))
        control.requestStop("SIGTERM")
        let end = ContinuousClock.now + .seconds(60)
        clock.advance(by: .seconds(4))
        // By the processor's own clock, which nobody can advance.
        while control.stuckWork() == nil, ContinuousClock.now < end { control.statementsGoOn(of: busy) }
        #expect(control.stuckWork()?.work.place == "/stuck")
        control.ends(stuck)
        #expect(control.stuckWork() == nil && control.worksInHand == 1)
    }
}
