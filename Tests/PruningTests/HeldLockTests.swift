import Testing

@testable import Pruning

/// When a lock costs the process.
struct HeldLockTests {
    private func lock(hold: Int, processorTime: Int) -> HeldLock {
        HeldLock(
            LockedWork("delete a row of t", place: "/s"), LockTime(.milliseconds(hold)), since: .zero,
            processorTime: { .milliseconds(processorTime) })
    }

    @Test(
        "after two seconds or a hundred lock times, ten at a stop, and only where the time went into computing",
        arguments: [
            (10, 1_900, 1_900, false, false), (10, 2_100, 2_100, false, true),
            (10, 60_000, 300, false, false), (10, 90, 90, true, false), (10, 110, 110, true, true),
            (10, 60_000, 20, true, false),
            (50, 4_900, 4_900, false, false), (50, 5_100, 5_100, false, true),
            (1_000, 9_900, 9_900, false, false), (1_000, 10_100, 10_100, false, true),
        ])
    func isStuck(hold: Int, held: Int, processorTime: Int, isStopping: Bool, isStuck: Bool) {
        let lock = lock(hold: hold, processorTime: processorTime)
        #expect(lock.isStuck(at: .milliseconds(held), isStopping: isStopping) == isStuck)
    }
}
