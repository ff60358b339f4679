import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Pruning

/// When what a store is at costs the process.
struct WorkInHandTests {
    private let activity = ThreadActivity()

    private func work(_ kind: WorkInHand.Kind, processorTime: Int = 60_000) -> WorkInHand {
        WorkInHand(
            StoreWork("delete a row of t", place: "/s"), kind, at: .zero, activity: activity,
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
    func goesOn(isLock: Bool) {
        var work = work(isLock ? .lock(LockTime()) : .statements)
        var isAlive = work.look(at: .seconds(60))
        #expect(!isAlive)
        #expect(work.isStuck(at: .seconds(60), isStopping: false))
        activity.step()
        isAlive = work.look(at: .seconds(60))
        #expect(isAlive)
        #expect(!work.isStuck(at: .seconds(61), isStopping: false))
    }

    @Test(
        "what reads and writes without a step, as a checkpoint does, has more time, but not for ever",
        arguments: [
            (true, 9, false, false), (true, 11, false, true), (false, 590, false, false),
            (false, 610, false, true), (false, 7, true, false), (false, 9, true, true),
        ])
    func transfers(isLock: Bool, seconds: Int, isStopping: Bool, isStuck: Bool) {
        let used = Mutex(Duration.zero)
        var work = WorkInHand(
            StoreWork("checkpoint", place: "/s"), isLock ? .lock(LockTime()) : .statements, at: .zero,
            activity: activity, processorTime: { used.withLock { $0 } })
        for second in 1...seconds {
            used.withLock { $0 = .seconds(second) }
            activity.transfer()
            let isAlive = work.look(at: .seconds(second))
            #expect(isAlive)
        }
        #expect(work.isStuck(at: .seconds(seconds), isStopping: isStopping) == isStuck)
    }

    @Test("a sign of life of any work is one of the run's, for the watchdog")
    func isAlive() {
        let clock = ManualClock(now: runStart)
        let control = RunControl(monotonic: clock.monotonic)
        control.statementsBegin(by: control, for: StoreWork("checkpoint", place: "/s"))
        clock.advance(by: .seconds(20))
        #expect(control.stuckWork() == nil && !control.isAlive(within: .seconds(10)))
        ThreadActivity.ofThisThread().transfer()
        #expect(control.stuckWork() == nil && control.isAlive(within: .seconds(10)))
    }

    @Test("one thread's signs of life are none of another's")
    func threads() {
        final class Worker: Sendable {}
        let clock = ManualClock(now: runStart)
        let control = RunControl(monotonic: clock.monotonic)
        control.requestStop("SIGTERM")
        let (stuck, ended) = (Worker(), DispatchSemaphore(value: 0))
        let thread = Thread {
            control.statementsBegin(by: stuck, for: StoreWork("count", place: "/stuck"))
            while control.worksInHand > 0 {}  // it computes
            ended.signal()
        }
        thread.start()
        let end = ContinuousClock.now + .seconds(60)
        while control.worksInHand == 0, ContinuousClock.now < end { usleep(1_000) }
        clock.advance(by: .seconds(4))
        // By the processor's own clock, which nobody can advance.
        var found = control.stuckWork()
        while found == nil, ContinuousClock.now < end {
            ThreadActivity.ofThisThread().step()
            found = control.stuckWork()
        }
        #expect(found?.work.place == "/stuck")
        control.ends(stuck)
        ended.wait()
        #expect(control.stuckWork() == nil)
    }
}
