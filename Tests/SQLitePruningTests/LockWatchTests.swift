import Pruning
import TestSupport
import Testing

@testable import SQLitePruning

/// When the statements of a write transaction are ended.
struct LockWatchTests {
    private let clock = ManualClock(now: runStart)

    private func watch(stop: Bool) -> LockWatch {
        let control = RunControl(monotonic: clock.monotonic)
        if stop { control.requestStop("SIGTERM") }
        return LockWatch(LockTime(.milliseconds(10)), control)
    }

    @Test(
        "after ten times the lock time, and once it is over if a stop is requested",
        arguments: [
            (9, false, false), (9, true, false), (11, false, false), (11, true, true), (99, false, false),
            (101, false, true), (101, true, true),
        ])
    func ends(milliseconds: Int, stop: Bool, ends: Bool) {
        let watch = watch(stop: stop)
        watch.start()
        clock.advance(by: .milliseconds(milliseconds))
        #expect(watch.endsStatement == ends)
        #expect(watch.hasEnded == (milliseconds > 100))
    }

    @Test("never while there is no lock yet, nor in the commit", arguments: [true, false])
    func isNoStatement(stop: Bool) {
        let watch = watch(stop: stop)
        clock.advance(by: .seconds(10))
        #expect(!watch.endsStatement)
        watch.start()
        watch.stop()
        clock.advance(by: .seconds(10))
        #expect(!watch.endsStatement)
    }

    @Test("who may end the process sees who has the lock, while the statements run and no longer")
    func published() {
        let control = RunControl(monotonic: clock.monotonic)
        let work = StoreWork("delete a row of t", place: "/s", suspect: "trigger tr")
        let watch = LockWatch(LockTime(.milliseconds(10)), control, work)
        #expect(control.signs.work == nil)
        watch.start()
        #expect(control.signs.work == WorkInHand(work, hasLock: true))
        watch.stop()
        #expect(control.signs.work == nil)
    }
}
