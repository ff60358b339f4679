import Pruning
import TestSupport
import Testing

/// When a worker process is killed because it does not go on.
struct WorkerWatchTests {
    private func usage(_ processor: Int, transferred: Int64 = 0) -> WorkerWatch.Usage {
        .init(processor: .milliseconds(processor), transferred: transferred)
    }

    private static func work(hasLock: Bool) -> WorkerMessage {
        .at(
            WorkInHand(
                StoreWork("delete a row of t", place: "/s", suspect: "each row runs trigger tr"),
                hasLock: hasLock))
    }

    @Test(
        "with the lock: after two seconds or a hundred lock times, ten at a stop, and only where the time went into computing",
        arguments: [
            (10, 1_900, 1_900, false, false), (10, 2_100, 2_100, false, true),
            (10, 25_000, 300, false, false), (10, 90, 90, true, false), (10, 110, 110, true, true),
            (10, 25_000, 20, true, false),
            (50, 4_900, 4_900, false, false), (50, 5_100, 5_100, false, true),
            (1_000, 9_900, 9_900, false, false), (1_000, 10_100, 10_100, false, true),
        ])
    func lock(hold: Int, held: Int, processorTime: Int, isStopping: Bool, isStuck: Bool) {
        var watch = WorkerWatch(LockTime(.milliseconds(hold)), at: .zero)
        watch.hear(Self.work(hasLock: true), at: .zero)
        #expect(watch.look(at: .zero, usage(0), isStopping: isStopping) == nil)
        let verdict = watch.look(
            at: .milliseconds(held), usage(processorTime), isStopping: isStopping)
        #expect((verdict != nil) == isStuck)
        guard case .stuck(let stuck)? = verdict else { return }
        #expect(stuck.error.cause.contains("has kept the lock for \(held) ms"))
        #expect(stuck.error.cause.contains("each row runs trigger tr"))
    }

    @Test(
        "without: after thirty seconds of processor time, three at a stop, however long that takes",
        arguments: [
            (29_900, 29_900, false, false), (30_100, 30_100, false, true), (60_000, 2_000, false, false),
            (120_000, 30_100, false, true), (2_900, 2_900, true, false), (3_100, 3_100, true, true),
            (60_000, 600, true, false),
        ])
    func statements(taken: Int, processorTime: Int, isStopping: Bool, isStuck: Bool) {
        for isTold in [true, false] {
            var watch = WorkerWatch(LockTime(), at: .zero)
            if isTold { watch.hear(Self.work(hasLock: false), at: .zero) }
            #expect(watch.look(at: .zero, usage(0), isStopping: isStopping) == nil)
            let verdict = watch.look(
                at: .milliseconds(taken), usage(processorTime), isStopping: isStopping)
            #expect((verdict != nil) == isStuck)
        }
    }

    @Test(
        "what tells of progress is not stuck, however long it takes, or was stopped",
        arguments: [true, false])
    func goesOn(hasLock: Bool) {
        var watch = WorkerWatch(LockTime(), at: .zero)
        watch.hear(Self.work(hasLock: hasLock), at: .zero)
        for second in 0..<1_000 {
            watch.hear(.alive, at: .seconds(second))
            let usage = usage(second * 1_000, transferred: Int64(second) * 4_096)
            #expect(watch.look(at: .seconds(second), usage, isStopping: false) == nil)
        }
    }

    @Test("ten minutes of progress without a result and without a look at a file are a circle")
    func circle() {
        var watch = WorkerWatch(LockTime(), at: .zero)
        watch.hear(Self.work(hasLock: false), at: .zero)
        for second in 0...610 {
            watch.hear(.alive, at: .seconds(second))
            let verdict = watch.look(at: .seconds(second), usage(second * 1_000), isStopping: false)
            #expect(verdict == (second > 600 ? .silent : nil))
        }
    }

    @Test("a lock that is over, and a new one, are not the one before")
    func locks() {
        var watch = WorkerWatch(LockTime(), at: .zero)
        for second in 0..<100 {
            watch.hear(Self.work(hasLock: true), at: .seconds(2 * second))
            #expect(watch.look(at: .seconds(2 * second), usage(1_900 * second), isStopping: false) == nil)
            watch.hear(.at(nil), at: .seconds(2 * second + 1))
        }
    }

    @Test(
        "what reads and writes without a word, as a checkpoint does, has more time",
        arguments: [(true, 9, false), (true, 11, true), (false, 590, false), (false, 610, true)])
    func transfers(hasLock: Bool, seconds: Int, isEnded: Bool) {
        var watch = WorkerWatch(LockTime(), at: .zero)
        watch.hear(Self.work(hasLock: hasLock), at: .zero)
        var verdict: WorkerWatch.Verdict?
        for second in 0...seconds where verdict == nil {
            let usage = usage(second * 1_000, transferred: Int64(second) * 4_096)
            verdict = watch.look(at: .seconds(second), usage, isStopping: false)
        }
        #expect((verdict != nil) == isEnded)
        #expect(hasLock || verdict == nil || verdict == .silent)
    }

    @Test("ten minutes without a word are enough, unless nobody listened")
    func silence() {
        var watch = WorkerWatch(LockTime(), at: .zero)
        #expect(watch.look(at: .seconds(590), usage(0), isStopping: false) == nil)
        watch.goOn(at: .seconds(595))
        #expect(watch.look(at: .seconds(1_190), usage(0), isStopping: false) == nil)
        #expect(watch.look(at: .seconds(1_200), usage(0), isStopping: false) == .silent)
    }

    @Test("what a worker says of its work is text without what a terminal obeys")
    func texts() {
        var watch = WorkerWatch(LockTime(), at: .zero)
        let work = WorkInHand(
            StoreWork("\u{1B}[2J", place: "a\nb", suspect: String(repeating: "x", count: 10_000)),
            hasLock: false)
        watch.hear(.at(work), at: .zero)
        _ = watch.look(at: .zero, usage(0), isStopping: false)
        guard case .stuck(let stuck)? = watch.look(at: .seconds(40), usage(40_000), isStopping: false)
        else {
            Issue.record("it is not stuck")
            return
        }
        let text = stuck.error.reason
        #expect(!text.contains("\u{1B}") && !text.contains("\n") && text.count < 10_000)
    }
}
